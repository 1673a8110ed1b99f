"""The dossier of an algorithm: the criteria of RFC 9743 and known suites, run and put into a report."""
