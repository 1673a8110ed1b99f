"""Two-level designs: their cells, and the effects that they can distinguish.

A factor has a letter and two levels, -1 (low) and +1 (high). A word is a product of letters: "AB" is the interaction of
A and B, the empty word the mean. Two equal letters cancel, as (-1)^2 = (+1)^2 = 1 (Jain 1991, chapters 17 and 19).
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vegaslab.util.errors import InputError

Word = frozenset[str]

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""The letters of factors in order. I is left out, as in R's FrF2: it stands for the mean."""

MOST_FACTORS = 16
"""The greatest number of factors: more give too many words to list; 2^16 runs are too many already."""

_GENERATOR = re.compile(r"([A-HJ-Z])\s*=\s*(-?)\s*([A-HJ-Z]+)")
_ROMAN = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV", "XVI")


class DesignError(InputError, ValueError):
    """A design is wrong: one line that names what was given and what would be right."""


def spell(word: Word) -> str:
    """Returns a word as text: its letters in order, I for the empty one."""
    return "".join(sorted(word)) or "I"


@dataclass(frozen=True)
class SignedWord:
    """A word with the sign that it has in an alias or in the defining relation."""

    sign: int
    word: Word

    def __mul__(self, other: "SignedWord") -> "SignedWord":
        """Multiplies the words; letters that both have cancel."""
        return SignedWord(self.sign * other.sign, self.word ^ other.word)

    def __str__(self) -> str:
        """Returns the word as text, with a minus if it has one."""
        return ("-" if self.sign < 0 else "") + spell(self.word)


@dataclass(frozen=True)
class Generator:
    """The rule that sets `letter` to the product of the letters of `word`, times `sign`."""

    letter: str
    sign: int
    word: Word

    @staticmethod
    def parse(text: str) -> "Generator":
        """Parses "E = ABCD" or "E = -ABCD". Raises `DesignError`."""
        match = _GENERATOR.fullmatch(text.strip())
        if match is None or len(set(match[3])) != len(match[3]):
            raise DesignError(f'generator "{text}" was given; a letter as the product of others, such as "D = ABC"')
        return Generator(match[1], -1 if match[2] else 1, frozenset(match[3]))

    def __str__(self) -> str:
        """Returns the generator as it is written in a plan."""
        return f"{self.letter} = {SignedWord(self.sign, self.word)}"


@dataclass(frozen=True)
class Design:
    """A full design 2^k, or with p generators the fraction 2^(k-p)."""

    letters: tuple[str, ...]
    generators: tuple[Generator, ...] = ()

    def __post_init__(self) -> None:
        """Checks the design."""
        if not 1 <= len(self.letters) <= MOST_FACTORS:
            raise DesignError(f"{len(self.letters)} factors were given; from 1 to {MOST_FACTORS}")
        for letter in self.letters:
            if letter not in LETTERS or self.letters.count(letter) > 1:
                raise DesignError(f'the letter "{letter}" was given; one capital a factor, each once, without I')
        if len({generator.letter for generator in self.generators}) != len(self.generators):
            raise DesignError("two generators set the same letter; one generator a letter")
        for generator in self.generators:
            unknown = ({generator.letter} | generator.word) - set(self.letters)
            if unknown:
                raise DesignError(f'generator "{generator}" names {min(unknown)}; the factors are {self._names}')
            if not generator.word <= set(self.base):
                made = min(generator.word - set(self.base))
                raise DesignError(f'generator "{generator}" uses {made}, which a generator sets; use the others')
        if not self.base:
            raise DesignError("every factor is set by a generator; leave at least one free")

    @property
    def _names(self) -> str:
        return ", ".join(self.letters)

    @cached_property
    def base(self) -> tuple[str, ...]:
        """The letters that no generator sets."""
        made = {generator.letter for generator in self.generators}
        return tuple(letter for letter in self.letters if letter not in made)

    @property
    def cells(self) -> int:
        """The number of combinations of levels: 2^(k-p)."""
        return int(2 ** len(self.base))

    @property
    def name(self) -> str:
        """The name, such as 2^3 or 2^(7-4)."""
        k, p = len(self.letters), len(self.generators)
        return f"2^({k}-{p})" if p else f"2^{k}"

    @cached_property
    def levels(self) -> NDArray[np.int64]:
        """The levels, shape (cells, factors), in standard order: the first letter changes from cell to cell."""
        columns = {
            letter: np.where(np.arange(self.cells) >> place & 1, 1, -1) for place, letter in enumerate(self.base)
        }
        for generator in self.generators:
            product = np.prod([columns[letter] for letter in sorted(generator.word)], axis=0)
            columns[generator.letter] = generator.sign * product
        return np.column_stack([columns[letter] for letter in self.letters])

    @cached_property
    def defining_relation(self) -> tuple[SignedWord, ...]:
        """The words that equal the mean, without the mean itself: none of a full design, 2^p - 1 of a fraction."""
        words = [SignedWord(g.sign, g.word | {g.letter}) for g in self.generators]
        products = [SignedWord(1, frozenset())]
        for word in words:
            products += [word * product for product in products]
        return tuple(sorted(products[1:], key=_by_order))

    @property
    def resolution(self) -> int | None:
        """The length of the shortest word of the defining relation; `None` for a full design, which confounds nothing.

        With resolution III, main effects are confounded with interactions of two; with IV, main effects with those of
        three, and interactions of two with each other; with V, interactions of two are not confounded with each other
        either.
        """
        return min((len(signed.word) for signed in self.defining_relation), default=None)

    @property
    def resolution_name(self) -> str:
        """The resolution as a Roman numeral, "full" for a full design."""
        return "full" if self.resolution is None else _ROMAN[self.resolution]

    @cached_property
    def effects(self) -> tuple["Effect", ...]:
        """The effects that the design can distinguish, one for each column of the sign table; the mean is the first."""
        products = [
            SignedWord(1, frozenset(letters))
            for size in range(len(self.base) + 1)
            for letters in itertools.combinations(self.base, size)
        ]
        relation = (SignedWord(1, frozenset()), *self.defining_relation)
        cosets = (tuple(sorted((word * product for word in relation), key=_by_order)) for product in products)
        effects = [self._effect(coset) for coset in cosets]
        return tuple(sorted(effects, key=lambda effect: _by_order(SignedWord(1, effect.word))))

    def _effect(self, coset: Sequence[SignedWord]) -> "Effect":
        first, *others = coset
        aliases = tuple(SignedWord(first.sign * other.sign, other.word) for other in others)
        return Effect(first.word, aliases, self.signs(first.word))

    def signs(self, word: Word) -> NDArray[np.int64]:
        """Returns the column of the sign table: the product of the letters' levels in each cell."""
        columns = [self.letters.index(letter) for letter in word]
        product: NDArray[np.int64] = np.prod(self.levels[:, columns], axis=1)
        return product


@dataclass(frozen=True, eq=False)
class Effect:
    """A column of the sign table: its shortest word, and the longer ones that the design cannot distinguish from it."""

    word: Word
    aliases: tuple[SignedWord, ...]
    signs: NDArray[np.int64]

    @property
    def name(self) -> str:
        """The word as text; I for the mean."""
        return spell(self.word)


def _by_order(signed: SignedWord) -> tuple[int, str]:
    return len(signed.word), spell(signed.word)
