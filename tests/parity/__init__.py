"""What users of Kueue's own plugin type works here, and says the same."""
