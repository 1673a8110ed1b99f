"""The report of claims: pages, figures, JSON."""
