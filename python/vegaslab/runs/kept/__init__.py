"""What is kept of runs, so that no run is made twice: docs/cache.md."""
