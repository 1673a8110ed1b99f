"""Random networks, each checked by what must hold in all of them: in batches, here or on a cluster."""
