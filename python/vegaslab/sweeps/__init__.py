"""Many runs of one plan: the plan, the growing dataset, the runs on threads or a cluster, and their analysis."""
