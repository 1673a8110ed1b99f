"""Runs and their results: comparisons, metrics, pictures, many at a time."""
