"""Files: dumps, shipped examples, plans. The only package that opens the user's files."""
