"""The values that a short plain reply states: `plain.read_plainly` takes them out and looks at what remains."""
