"""Clusters that users reported, as dumps with the right answer: `python -m tests.cases DIR [ID...]`."""
