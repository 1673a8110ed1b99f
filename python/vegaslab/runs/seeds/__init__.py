"""Algorithms compared over several seeds: the numbers, their picture, their report."""
