"""Make a domain a server of its own: its files (`directory`), what they import (`closure`), a bundle of both."""
