"""Simulated users on one table.

`machine` follows the tools that were accepted: where each wish stands, and what the user does next. `scripted` says it
in words of `phrases.toml`, and never reads what the assistant wrote, but for the answer to a closed question.
`model_user` has a model on the same table, which reads for the script or speaks for itself. `NoUser` says everything
at once.
"""
