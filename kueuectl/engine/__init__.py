"""What Kueue would do: pure.

No I/O, no clock, no Kubernetes client, no Typer, no Rich; time, gates and configuration are arguments.
"""
