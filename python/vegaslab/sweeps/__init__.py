"""Many runs of one plan: the plan, the dataset that grows, the runs on threads or a cluster, and what they say."""
