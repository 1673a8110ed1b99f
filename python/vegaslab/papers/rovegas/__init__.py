"""RoVegas (Chan, Chan, Chen, 2004)."""
