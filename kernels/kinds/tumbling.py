"""Tumbling windows: sliding windows that slide by their size."""

from windrow.kernels.kinds.sliding import SlidingKind


class TumblingKind(SlidingKind):
    """A sliding kind whose specification needs no slide."""

    def make(self, spec, extent):
        return super().make(spec._replace(slide_us=spec.size_us), extent)


KIND = TumblingKind()
