"""The agents that can be asked for, one kind a file."""
