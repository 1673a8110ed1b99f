"""Tools that every room uses: folders and files, text, terminals, progress, signals, memory. They use no other room."""
