"""Procedural cases: given rows, a call, and what must come of it (paper, section 4.1.2).

The format (`case`) is written by a model that never sees code. A case's rows become a world, its call is executed on a
real session (`run`) and compared (`outcome`). What the cases leave out is found in `coverage`.
"""
