"""What others measured on real hosts, beside the simulator and the kernel: docs/agreement.md."""
