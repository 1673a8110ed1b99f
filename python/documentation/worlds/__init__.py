"""The plan `both-worlds` in the simulator and in the real kernel, side by side: docs/kernel-world.md."""
