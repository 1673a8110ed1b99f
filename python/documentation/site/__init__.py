"""What MkDocs adds to the hand-written pages in `docs`: `make docs` builds the site."""
