"""What is: frozen data, no dicts from the wire. Imports nothing of ours, does no I/O, decides nothing."""
