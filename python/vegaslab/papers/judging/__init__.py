"""Claims, what was found for them, and the verdicts."""
