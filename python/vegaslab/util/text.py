"""Text in messages and tables: names and values of any bytes in one line, numbers without exponents."""

import math
from collections.abc import Iterable
from difflib import get_close_matches

_PLAIN_FROM, _PLAIN_TO = 1e-6, 1e15
"""The numbers that are written without an exponent lie between these."""


def significant(value: float, digits: int) -> str:
    """Formats a number with this many significant digits, without an exponent.

    >>> significant(148.7, 2), significant(705.61, 4), significant(0.01234, 2)
    ('150', '705.6', '0.012')
    """
    rounded = float(f"{value:.{digits}g}")
    if not _PLAIN_FROM <= abs(rounded) < _PLAIN_TO:
        return f"{value:.{digits}g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    text = f"{rounded:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def plus_minus(mean: float, half_width: float) -> str:
    """Formats a mean with half of its interval, if known, to two digits; the mean to four, or to the digits of the
    half.

    >>> plus_minus(705.61, 148.7), plus_minus(12.345678, 0.0123), plus_minus(5.0, float("nan"))
    ('705.6 +- 150', '12.346 +- 0.012', '5')
    """
    if not half_width > 0:
        return significant(mean, 4)
    digits = 2 + math.floor(math.log10(abs(mean))) - math.floor(math.log10(half_width)) if mean else 0
    return f"{significant(mean, max(4, digits))} +- {significant(half_width, 2)}"


_MOST_NAMED, _SOME_NAMED = 80, 3


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Returns a hint for an unknown name: the nearest known ones, or all of them, or some of very many.

    >>> did_you_mean("vagas", ["vegas", "reno"]), did_you_mean("x", ["vegas", "reno"])
    ('did you mean "vegas"?', 'expected one of vegas, reno')
    """
    names = list(known)
    near = nearest(given, names)
    if near:
        return f'did you mean "{near[0]}"?'
    if len(names) > _MOST_NAMED:
        return f"there are {len(names)}, such as {', '.join(names[:_SOME_NAMED])}"
    return f"expected one of {', '.join(names)}"


def nearest(given: str, known: Iterable[str]) -> list[str]:
    """Returns names that may have been meant, the likeliest first: with a few other letters, or longer.

    >>> nearest("gallop", ["vegas", "gallop-50mbit"]), nearest("Renno", ["reno"])
    (['gallop-50mbit'], ['reno'])
    """
    names = list(known)
    close = get_close_matches(given.lower(), names)
    return close or [name for name in names if len(given) > 2 and given.lower() in name][:3]


def printable(text: str) -> str:
    r"""Returns the text with control characters, line ends and halves of characters written as escapes.

    >>> printable("two\nlines")
    'two\\nlines'
    """
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def no_text(error: UnicodeEncodeError) -> str:
    """Returns the end of an error's line about text that holds half of a character."""
    return (
        f"{printable(error.object[error.start])} at {error.start} of what was given is no character; write UTF-8 text"
    )
