"""Claims, the findings on them, and the verdicts."""
