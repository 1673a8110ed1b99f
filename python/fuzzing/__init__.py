"""What Python reads from outside, fuzzed: a module a target, with what has to hold for any bytes in its `check`."""
