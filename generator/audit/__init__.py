"""Proves task sets of others by execution: their own tools answer in a child process, and what they say is compared."""
