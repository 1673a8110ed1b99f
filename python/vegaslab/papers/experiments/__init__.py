"""The means of checking claims: experiments, their runs and batches, and the data extracted from results."""
