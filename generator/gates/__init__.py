"""The gates: what a domain must pass before it is kept, one job (`isolation.job`) for each claim.

`folder` loads it by every rule and has the requests of most jobs. `worlds` builds its worlds, `constraints` breaks
every constraint of its schema, and `lively` says whether there is enough in the worlds to act on. `cases` runs its
procedural cases, `calls` makes random calls, `mutants` plants faults that the cases must notice, and `rules` does so
for its rules.
"""
