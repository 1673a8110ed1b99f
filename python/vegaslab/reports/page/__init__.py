"""Runs as an interactive page in one file, and the templates of all pages."""
