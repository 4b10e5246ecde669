"""Which flavors a pod set may use, and which it gets. Pure, as the whole engine."""
