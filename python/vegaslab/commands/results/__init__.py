"""Commands that read the folders of runs."""
