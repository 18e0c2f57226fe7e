"""What a burst changes, noted event by event: the windows, and the walks that no longer hold."""

from kernels.replay.context import Note
from kernels.replay.growing import append
from kernels.replay.types import EMIT_ARRIVAL, EMIT_WATERMARK
from kernels.replay.walk import add_to_walk
from kernels.runtime.memory import WORD_BYTES, inner
from kernels.windows._window import first_end_after

NOTE_WORDS = Note.size_bytes // WORD_BYTES


@inner
def note_changed(r, first, last, row):
    """Windows first … last changed at this tick, by the event of that row."""
    if first <= last:
        note = Note(append(r.changed, NOTE_WORDS))
        note.first, note.last, note.row = first, last, row


@inner
def note_live(r, first, last, is_late, row):
    """Of windows first … last, none of which is final, those that have a row of this tick."""
    if r.emit == EMIT_ARRIVAL:
        note_changed(r, first, last, row)
    elif is_late and r.emit == EMIT_WATERMARK:
        note_changed(r, first, min(last, first_end_after(r.window, r.clock.watermark) - 1), row)


@inner
def add_to_late_walks(r, time):
    """Only late events fall into stretches that the watermark has walked over."""
    add_to_walk(r, r.passing, time)
    add_to_walk(r, r.finishing, time)
