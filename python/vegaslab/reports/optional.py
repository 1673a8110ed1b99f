"""Pictures beside results that are whole without them."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


class PictureWarning(UserWarning):
    """A picture could not be made: one line that says why. All tables are there."""


@contextmanager
def optional_picture(name: str) -> Iterator[None]:
    """A block that draws and writes pictures; its failure is a `PictureWarning`, and the results are still written.

    What the drawing library has to say of its own is left out: it is about fonts and lack of room.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Exception as error:
        # whatever a library makes of unusual figures, it must not cost the run
        reason = (error.strerror if isinstance(error, OSError) else None) or " ".join(str(error).split())
        warnings.warn(
            f"{name}: cannot be drawn: {reason or type(error).__name__}; all tables are written",
            PictureWarning,
            stacklevel=3,
        )
