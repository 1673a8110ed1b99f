"""Random networks, each checked against the rules that hold in all of them: in batches, here or on a cluster."""
