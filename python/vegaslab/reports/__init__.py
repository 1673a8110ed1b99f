"""Presentations of runs: charts, figures, pages, tables as text. They read tables and summaries, and make no runs."""
