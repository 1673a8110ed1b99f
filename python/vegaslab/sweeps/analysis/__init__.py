"""What a sweep's runs say, cell by cell: the numbers, their picture, their tables."""
