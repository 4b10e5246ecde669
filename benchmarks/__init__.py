"""Measurements, as ratios of two things in one run on one machine."""
