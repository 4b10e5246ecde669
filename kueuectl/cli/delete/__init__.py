"""`kueuectl delete KIND NAME`: one module for each kind."""
