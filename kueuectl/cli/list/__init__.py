"""`kueuectl list KIND`: one module for each kind."""
