"""Algorithms of one's own: classes in Python files, and WebAssembly modules, as scenarios name them."""
