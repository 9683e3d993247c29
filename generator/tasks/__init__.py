"""Tasks from scenarios: composed, made harder, expanded and proven by execution (paper, section 4.2)."""
