"""The worlds of a domain: the same every time and filled (`sound`), without ids in `text_ids`, not `lifeless`."""
