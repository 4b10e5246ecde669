"""What the API server and Kueue's webhooks refuse, told with the field path. No network, no files."""
