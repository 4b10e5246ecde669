"""`kueuectl create`: objects made from flags."""
