"""Real paths: transfers by the kernel's TCP and by QUIC, runs with real sockets, live connections."""
