"""Errors that end a command with their line."""


class InputError(Exception):
    """What was given is wrong, or cannot be used: one line that names it and what would be right."""
