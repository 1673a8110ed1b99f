"""The kernel as judge of the simulator: both worlds' runs of random networks, and the rules that they are held to."""
