"""The proofs of a task, each by execution.

`all` runs them, cheapest first. A `TaskReplayer` is the one session on which they play the task's chain in variations;
`knowledge` says what the user told, by the origins that scenarios trace.
"""
