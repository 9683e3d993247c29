"""One file a kind of set, each run by the set's own interpreter: it imports the set and the standard library."""
