"""Measurements of real hosts, read into the tables of a run: captures, and logs of hosts and links."""
