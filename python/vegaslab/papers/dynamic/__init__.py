"""Dynamic Vegas (Zhou, Yu, Zhu, Liu)."""
