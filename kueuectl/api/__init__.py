"""The wire format: dicts and bytes of the API to the model and back. No network, no files, no rule of scheduling."""
