"""Questions that the papers do not answer."""
