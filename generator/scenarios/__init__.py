"""Scenarios as a model writes them (`scenario`): each is run on several worlds (`run`), and what it does is judged.

A writer sees a world in `samples` and is asked by the `group` of tools; a `reading` tells whether the words say enough;
the `gate` measures whether more are worth writing, and a `ruling` records that.
"""
