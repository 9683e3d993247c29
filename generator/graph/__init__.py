"""The tool dependency graph of a domain (paper, section 4.1.3), found and backed by execution, without a model.

Worlds are opened as starts (`start`); the places of a tool's arguments are linked to columns (`slots`) and filled with
values of the start until calls succeed (`draw`, `examples`). Results of one tool are handed to another (`data_flow`),
and calls are compared before and after others (`influence`); `find` puts it together and writes `graph.json`;
`evidence` executes again what that file claims.
"""
