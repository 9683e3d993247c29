"""The tool dependency graph of a domain (paper, section 4.1.3), found and backed by execution, without a model.

`experiment` makes the same calls twice, with one value changed or one call left out, and says what that shows.
`edges` and `chains` decide which calls are tried; `find` puts the graph together, and executes again what
`graph.json` claims.
"""
