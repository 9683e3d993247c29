"""Scenarios as a model writes them (`scenario`): `lint` runs each on several worlds and says what is wrong.

A `trial` makes tasks of it and measures whether more are worth writing; a `reading` tells whether the words say enough.
"""
