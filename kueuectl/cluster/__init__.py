"""The API server: connect, read, write. The only package that opens connections.

It decides nothing: lists go in at one end, a ClusterState comes out at the other. `client` knows no kind; `lists` knows
pages; `read` knows which kinds make a state. Writes stand beside `read`, on the same client.
No secret (token, password, key, header) may get into an error, a warning or a repr.
"""
