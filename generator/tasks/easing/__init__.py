"""Tasks made again with one mechanism off, so that what it costs can be measured: the same world, the same goal.

`words` says at once what is withheld, the truth in the place of what is mistaken, and coupled wishes in an order that
works; `permitted` edits the row by which a rule denies. `ease` proves what comes of it.
"""
