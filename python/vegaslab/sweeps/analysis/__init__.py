"""The analysis of a sweep's runs, cell by cell: the numbers, their picture, their tables."""
