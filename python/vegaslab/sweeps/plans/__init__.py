"""The plans of sweeps: grids, lists, Latin hypercubes and factorial designs, read and checked."""
