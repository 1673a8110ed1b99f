"""Commands that make or analyse many runs."""
