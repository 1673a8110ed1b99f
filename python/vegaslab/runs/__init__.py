"""Runs and what they give: results, comparisons, metrics, pictures, many at a time."""
