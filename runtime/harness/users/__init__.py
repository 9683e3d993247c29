"""Simulated users: one machine, and three ways to hear and speak.

What the assistant said -> `reading` (its kind, what it asks for, by `proposal` whether it is just what is wished) ->
`machine` (the table: where a wish stands, what is said, what the user does) -> `words`. `scripted` is all of this; in
`reader` a model reads, and in `free` it also speaks. `none` says everything at once.
"""
