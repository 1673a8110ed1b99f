"""The error of a report."""

from vegaslab.util.errors import InputError


class PapersError(InputError):
    """A report cannot be made: one line that names what is wrong and what would be right."""
