"""Random calls, valid and invalid, over all tools of a domain: nothing that an agent can send may break anything.

Arguments come from the input schemas (`arguments`) and the live rows (`pool`), or are spoilt on purpose (`spoil`).
`play` performs them on a session whose state evolves and checks every call; `shrink` reduces what goes wrong to a few
calls; `random_calls` counts. `watch` notes on the way which tables each tool really touches.
"""
