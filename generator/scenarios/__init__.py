"""Scenarios as a model writes them (`scenario`): each is run on several worlds (`run`), and what it does is judged.

A `trial` makes tasks of it; a `reading` tells whether the words say enough; the `gate` measures whether more are worth
writing.
"""
