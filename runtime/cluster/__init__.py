"""Work on a Ray cluster: joining one (`joined`), a domain's folder on its way (`carried`), episodes there (`episodes`).

Nothing else imports `ray`, and nothing imports this before `--engine ray` is given.
"""
