"""A run as JSON Lines that trainers read.

run -> `episode_lines`, `sft_lines` or `group_lines` (with the `advantages` of each group) -> one `line` of JSON each.
"""
