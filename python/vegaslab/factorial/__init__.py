"""Two-level factorial designs: which runs to make, and what their results say."""
