"""The real kernel in a virtual machine with a clock that counts instructions: docs/kernel-world.md."""
