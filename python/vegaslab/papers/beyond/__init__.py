"""What the papers do not say."""
