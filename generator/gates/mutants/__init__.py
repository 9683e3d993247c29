"""Cases are tested by mutation: every tool is changed in small ways, and the cases must notice.

One small change is an `edit`. What can be changed: `logic`, `columns` (by a `lookalike`) and `sql` (a `query`, read by
sqlglot). `mutate` makes the mutants of a domain's tools, `kill` counts those that the cases notice. For the others,
`disagree` looks through the inputs of `vary` for one on which tool and mutant differ, so that a writer can be asked.
"""
