"""The pages of a dossier: HTML, Markdown, pictures."""
