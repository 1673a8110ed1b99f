"""The search for the delays, within the model of a network, that harm an algorithm most."""
