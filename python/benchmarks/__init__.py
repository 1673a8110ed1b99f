"""What the simulator's speed is measured with: `make bench`, `make bench-instructions`, `make bench-scale`."""
