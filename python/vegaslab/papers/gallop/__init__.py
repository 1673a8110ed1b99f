"""Gallop-Vegas (Ho, Chan, Chen, 2006)."""
