"""`kueuectl resume KIND NAME`: one module for each kind."""
