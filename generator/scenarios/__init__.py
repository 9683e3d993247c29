"""Scenarios as a model writes them, and their proof: each runs on several worlds, and what it does is judged.

scenario -> judge -> proof -> coverage
"""
