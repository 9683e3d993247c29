"""The worlds of a domain: sound and the same every time, no ids in texts, not lifeless, no share known by heart."""
