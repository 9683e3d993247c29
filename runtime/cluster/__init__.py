"""Work on a Ray cluster: joining one and carrying domains there (`joined`), and playing episodes there (`episodes`).

Nothing imports this before `--engine ray` is given.
"""

from importlib.util import find_spec

from runtime.errors import UsageError

if find_spec("ray") is None:
    raise UsageError("--engine ray needs Ray, which is not installed; run: pip install 'worldsmith[ray]'")
