"""Agents: each kind in a file of its own; `choose_agent` finds the one that `--agent` names."""
