"""What runs in the guest, by a Python there without packages."""
