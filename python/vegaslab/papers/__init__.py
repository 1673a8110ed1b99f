"""The five papers, claim by claim: what each says, what is run for it, what came out, and why."""
