"""Optional pictures: results are complete without them."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


class PictureWarning(UserWarning):
    """A picture could not be made; one line says why. The tables are complete."""


@contextmanager
def optional_picture(name: str) -> Iterator[None]:
    """Runs a block that draws and writes pictures. Its failure becomes a `PictureWarning`, and the results are still
    written.

    The drawing library's own warnings, about fonts and lack of room, are suppressed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Exception as error:
        # an error of the library on unusual figures must not lose the run
        reason = (error.strerror if isinstance(error, OSError) else None) or " ".join(str(error).split())
        warnings.warn(
            f"{name}: cannot be drawn: {reason or type(error).__name__}; all tables are written",
            PictureWarning,
            stacklevel=3,
        )
