"""A run as one HTML page that opens from disk: `figures` at its head, `tell` for each episode, `page` writes it."""
