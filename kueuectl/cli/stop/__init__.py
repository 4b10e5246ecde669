"""`kueuectl stop KIND NAME`: one module for each kind."""
