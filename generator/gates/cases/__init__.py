"""Procedural cases of tools: written as a `case`, made to `run` and compared."""
