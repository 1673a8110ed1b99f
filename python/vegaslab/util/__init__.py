"""What every room uses: folders and files, text, terminals, progress, signals, memory. Knows no other room."""
