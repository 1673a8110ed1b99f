"""The five papers, claim by claim: the claims, the runs for each, the findings, and the causes of differences."""
