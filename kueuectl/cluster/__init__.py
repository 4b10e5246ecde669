"""The API server: connect, read, write. The only package that imports kubernetes, and only inside functions."""
