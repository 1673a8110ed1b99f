"""The error of a report."""


class PapersError(Exception):
    """A report cannot be made: one line that names what is wrong and what would be right."""
