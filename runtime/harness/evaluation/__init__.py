"""Many episodes, kept and counted.

plan -> owed episodes, ordered by world -> runners, in this process or in others, play them -> the store keeps each one
before it counts as done -> scores, comparison of two runs, judging anew.
"""
