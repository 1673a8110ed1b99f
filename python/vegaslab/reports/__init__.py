"""What runs look like: charts, figures, pages, tables as text. Knows tables and summaries, not how they are made."""
