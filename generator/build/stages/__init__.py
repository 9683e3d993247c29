"""The stages from a keyword to a verified domain, in their order.

`tools` (the keyword is screened first) → `database` → `world`, `code` and `cases` side by side → `trial` (cases against
code) → `sharpen` (cases against mutants) → `graph` → `scenarios`. Each takes artifacts and returns one, behind a gate
that executes something.
"""
