"""The pictures of the documentation, drawn from shipped scenarios."""
