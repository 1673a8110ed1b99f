"""Links of the playground: an address with a scenario in its part after `#`.

A link may come from any sender, so its scenario may name no file.
"""

import base64
import binascii
import json
import zlib
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from vegaslab import _vegaslab
from vegaslab.util.errors import ScenarioError

SOURCE = "link"
_SCHEMES = ("https://", "http://", "file://")
_BYTES_MAX = 1 << 20
_NAME_FILES = ("trace", "python", "wasm")
"""The keys of rate traces and of algorithms, which name files."""


def is_link(text: str) -> bool:
    """Returns whether a text is an address rather than the name of a file.

    >>> is_link("https://example.org/playground.html#s=q1YqSy0qzszPU7JSMtQzVdJRKi5JLElVslIyVKoFAA")
    True
    >>> is_link("gallop-50mbit")
    False
    """
    return text.lower().startswith(_SCHEMES)


def scenario_of(link: str) -> str:
    """Returns the TOML text in a link of the playground. Raises `ScenarioError` if it has none, or one that names a
    file.

    >>> scenario_of("https://example.org/playground.html#s=y0vMTVWwVVDKzcxLVeICAA").strip()
    'name = "mine"'
    """
    packed = parse_qs(urlsplit(link).fragment).get("s")
    if not packed:
        raise _error("holds no scenario (no s= after #); copy it from the playground")
    text = _unpacked(packed[0])
    for key in _files_in(text):
        raise _error(
            f"{key}: a link names no file of this machine; save the scenario from the playground beside its file"
        )
    return text


def _unpacked(packed: str) -> str:
    try:
        data = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        text = inflater.decompress(data, _BYTES_MAX + 1)
        is_whole = inflater.eof or len(text) > _BYTES_MAX
        decoded = text.decode() if is_whole else None
    except (ValueError, binascii.Error, zlib.error):
        decoded = None
    if decoded is None:
        raise _error("is damaged or cut off; copy it whole from the playground")
    if len(text) > _BYTES_MAX:
        raise _error(f"its scenario has more than {_BYTES_MAX} bytes")
    return decoded


def _files_in(text: str) -> Iterator[str]:
    """Yields the keys that name files. It parses the text as the engine does, so that none is missed."""
    yield from _named(json.loads(_vegaslab.read_toml(text, SOURCE)[0]), "")


def _named(value: object, key: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, item in value.items():
            own = f"{key}.{name}" if key else name
            if name in _NAME_FILES:
                yield own
            yield from _named(item, own)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _named(item, f"{key}.{number}")


def _error(what: str) -> ScenarioError:
    return ScenarioError(f"{SOURCE}: {what}")
