"""Operations that both buffers have in common, over whichever places their tuples stand in."""

from collections.abc import Callable

from kernels.frames._content import Buffer, Contents
from kernels.frames._dispatch import NONE
from kernels.frames._frames import KeyFrames
from kernels.frames._meter import CONTENT, IDLE, begin
from kernels.frames._ordered import ENTRY_WORDS, is_behind
from kernels.frames._rules import Frame
from kernels.frames._saving import save_frames, save_head
from kernels.runtime.memory import WORD_BYTES
from kernels.runtime.struct import words_at


def shared_operations(struct: type[KeyFrames], buffer: Buffer, contents: Contents) -> dict[str, Callable]:
    """Of FrameKernel, by name; struct: of the kernel, whose tuples stand in `tuples`."""
    _, place_behind, standing, entry_at, _ = buffer
    content_of, closing_tuple = contents.content_of, contents.closing_tuple

    def content(s: struct, frame: Frame):
        return content_of(s, frame)

    def closing_row(s: struct, frame: Frame):
        chunk, at = closing_tuple(s, frame)
        return NONE if chunk == s.tuples.end else entry_at(s.tuples, chunk, at).row

    def rows_of(s: struct, frame: Frame, rows):
        """O(log tuples + tuples of the frame)."""
        begin(s, CONTENT)
        found = 0
        chunk, at = place_behind(s.tuples, frame.first, frame.first_row - 1)
        chunk, at = standing(s.tuples, chunk, at)
        while chunk < s.tuples.end and not is_behind(entry_at(s.tuples, chunk, at), frame.last, frame.last_row):
            if rows != 0:
                words_at(rows)[found] = entry_at(s.tuples, chunk, at).row
            found += 1
            chunk, at = standing(s.tuples, chunk, at + 1)
        begin(s, IDLE)
        return found

    def least_row(s: struct):
        """O(tuples)."""
        least = -1
        chunk, at = standing(s.tuples, s.tuples.first, 0)
        while chunk < s.tuples.end:
            row = entry_at(s.tuples, chunk, at).row
            least = row if least < 0 else min(least, row)
            chunk, at = standing(s.tuples, chunk, at + 1)
        return least

    def save(s: struct, into):
        count_at = save_head(s, into)
        words, count = count_at + 1, 0
        chunk, at = standing(s.tuples, s.tuples.first, 0)
        while chunk < s.tuples.end:
            if into != 0:
                entry, saved = entry_at(s.tuples, chunk, at), words_at(into + words * WORD_BYTES)
                saved[0], saved[1], saved[2] = entry.time, entry.row - s.row_offset, entry.word
            words, count = words + ENTRY_WORDS, count + 1
            chunk, at = standing(s.tuples, chunk, at + 1)
        if into != 0:
            words_at(into)[count_at] = count
        return words + save_frames(s, into + words * WORD_BYTES if into != 0 else 0)

    return {each.__name__: each for each in (content, closing_row, rows_of, least_row, save)}
