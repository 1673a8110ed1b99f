"""Commands that need real sockets."""
