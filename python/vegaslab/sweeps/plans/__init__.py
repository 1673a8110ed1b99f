"""What a sweep runs: grids, lists, Latin hypercubes and factorial designs, read and checked."""
