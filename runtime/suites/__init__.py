"""Many domains evaluated and trained on as one.

`suite` reads the file that names them -> `members` loads the domains and chooses their tasks -> `split` parts them
into nested suites, in an order by chance or by `similarity`.
"""
