"""TCP-Vegas Slow Start Performance in Large Bandwidth Delay Network (Lee, Kim, Choi, 2002)."""
