"""What carries claims out: experiments, their runs and batches, what is taken from results."""
