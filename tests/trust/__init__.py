"""How far a reward can be trusted, measured through whole conversations: `python -m tests.trust`."""
