"""Random calls, valid and invalid, over all tools of a domain: nothing that an agent can send may break anything.

Arguments come from the input schemas (`sample`) and the rows of a world (`start`), as the dependency graph samples
them, or are spoiled on purpose (`spoil`). `random_calls` performs them on sessions whose state evolves.
"""
