"""Pages for all public objects of the Python package."""

import vegaslab


def pages() -> dict[str, str]:
    """Returns the pages by place, functions first."""
    names = [name for name in vegaslab.__all__ if name != "__version__"]
    return {f"python/{name}.md": _page(name) for name in sorted(names, key=lambda name: (name[0].isupper(), name))}


def _page(name: str) -> str:
    found = getattr(vegaslab, name)
    return f"---\ntitle: {name}\n---\n\n::: {_module(found)}.{name}\n"


def _module(found: type) -> str:
    """Returns the module that defines the object; errors name the package as theirs."""
    return found.__module__ if found.__module__ != "vegaslab" else "vegaslab.util.errors"
