"""The proofs of a task, each by execution.

`all` runs them, cheapest first. A `TaskReplayer` is the one session on which they play the task's chain in variations;
`knowledge` says what the user told: with origins for a candidate, from the facts for a line of `tasks.jsonl`.
"""
