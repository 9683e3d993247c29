"""Scenarios as a model writes them (`scenario`): the `judge` runs each on several worlds and says what is wrong.

A `trial` makes tasks of it; a `reading` tells whether the words say enough; the `gate` measures whether more are worth
writing.
"""
