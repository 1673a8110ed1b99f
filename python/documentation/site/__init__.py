"""The pages that MkDocs adds to the hand-written ones in `docs`: `make docs` builds the site."""
