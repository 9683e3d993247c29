"""A run as JSON Lines for trainers: `lines` from the store's records, with `chat` for messages and tools."""
