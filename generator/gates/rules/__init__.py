"""The rules of a domain: a `case` from their prose, what is proven of them, and what is tried while they are made."""
