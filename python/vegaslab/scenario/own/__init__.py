"""Users' own algorithms: classes in Python files, and WebAssembly modules, as scenarios name them."""
