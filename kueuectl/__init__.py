"""kueuectl: an administrator CLI for Kueue, the job queueing system of Kubernetes."""

__version__ = "0.1.0"

# The release of Kueue whose decisions the engine reproduces.
KUEUE_TARGET = "v0.19.2"
