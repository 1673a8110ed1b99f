"""Factorial designs: effects and interactions of factors, their picture, their report."""
