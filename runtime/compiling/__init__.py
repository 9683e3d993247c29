"""Make a domain a server of its own: a directory that needs no worldsmith, and a bundle for desktop clients."""
