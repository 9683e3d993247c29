"""Simulated users: what they know, what they hear, and what they say to it.

task.user -> `knowledge` (wishes and facts, in order); what the assistant said -> `hearing` (its acts, by the `phrases`
that ask, the `deeds` it tells of and the `clauses` they stand in) -> `questions` (which facts are asked for, by `focus`
and `topics`), `objections` (which are stated wrongly), `leave` and `checks` (whether it may go on) -> `scripted` (what
the user does). `model` lets a model speak instead, and `slips` checks what it says.
"""
