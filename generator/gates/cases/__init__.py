"""Procedural cases: given rows, a call, and what must come of it (paper, section 4.1.2).

The format (`case`) is written by a model that never sees code, filled into a world (`rows`), executed on a real session
(`run`), and compared (`outcome`). `proof` runs a domain's cases in a child process.
"""
