"""Work on a Ray cluster: joining one (`joined`), a domain's folder on its way (`carried`), episodes there (`episodes`).

Nothing imports this before `--engine ray` is given.
"""

from importlib.util import find_spec

from runtime.errors import UsageError

if find_spec("ray") is None:
    raise UsageError("--engine ray needs Ray, which is not installed; run: pip install 'worldsmith[ray]'")
