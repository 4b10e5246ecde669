"""`kueuectl snapshot ...`: dumps of all that the engine needs."""
