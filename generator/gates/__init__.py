"""The gates: what a domain must pass before it is kept, one job (`isolation.job`) for each claim.

`folder` loads it by every rule. `worlds` builds its worlds and attacks its `constraints` from them; `cases` runs its
procedural cases; `calls` makes random calls; `mutants` plants the faults of `operators`, which the cases must notice;
`rules` does so for its rules. Each job takes a request, mostly that of a folder (`request`), and returns a report.
"""
