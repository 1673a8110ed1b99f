"""Examples in docstrings, fenced as code for pages: Markdown would take `>>>` for quotations."""

from itertools import groupby
from typing import Any

from griffe import Extension, Object


class Examples(Extension):  # type: ignore[misc]
    """Fences the examples of every docstring."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Fences the examples of one object's docstring."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    """Returns the docstring with its examples fenced; an example is a paragraph that begins with a prompt."""
    paragraphs = docstring.split("\n\n")
    parts = []
    for is_example, group in groupby(paragraphs, lambda paragraph: paragraph.lstrip().startswith(">>> ")):
        text = "\n\n".join(group)
        parts.append(f"```pycon\n{text}\n```" if is_example else text)
    return "\n\n".join(parts)
