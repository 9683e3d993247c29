"""Attack what a domain claims, by execution: each claim must hold against an attempt to break it.

The constraints of its schema (`constraints`, violated with the values of `candidates`) must refuse in `attack`; its
worlds must be filled, sound and the same every time (`worlds`), without ids in texts (`text_ids`). What the folder
declares of itself is read in `folder`.
"""
