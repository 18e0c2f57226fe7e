"""Text of the data, fit to be shown to people."""

from unicodedata import category

# Unicode's categories of control characters, of invisible ones that turn the direction of text, and of broken ones.
_STEERING = ("Cc", "Cf", "Cs")


def without_controls(text: str) -> str:
    r"""The text with \x1b for ESC, and so on: data must not steer what shows it. Line ends stay."""
    return "".join(_escaped(each) if category(each) in _STEERING and each != "\n" else each for each in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
