"""Simulated users: each kind in a file of its own."""
