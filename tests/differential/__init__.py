"""kueuectl's engine against Kueue's own scheduler, on random clusters: one comparison for tests and for the command.

`golden/` has recorded answers of Kueue for fixed seeds, so that the comparison needs no Go; `oracle` builds and runs
the real thing for fresh ones.
"""
