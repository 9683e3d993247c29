"""Scenarios as a model writes them (`scenario`): each is run on several worlds (`run`), and what it does is judged.

A writer is asked by the `group` of tools and sees rows of a world; a `reading` tells whether the words say enough;
the `gate` measures whether more are worth writing.
"""
