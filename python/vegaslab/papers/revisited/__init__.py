"""TCP Vegas Revisited (Hengartner, Bolliger, Gross, 2000)."""
