"""Where tools stand in a plane: t-SNE of their word vectors (van der Maaten and Hinton 2008), the same every time."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import numpy as np

from runtime.errors import UsageError
from runtime.suites.similarity import Vectors

_MOST_EXACT = 300  # points; with more it is reckoned by Barnes and Hut's approximation
_PERPLEXITY = 30.0
_START = 1e-4  # how wide the first placement is

Points = Sequence[tuple[float, float]]


def check_projection() -> None:
    """See that what projects is installed; errors: UsageError."""
    try:
        import_module("sklearn")
    except ImportError:
        raise UsageError("t-SNE needs scikit-learn; install it with: pip install 'worldsmith[study]'.") from None


def project(vectors: Vectors) -> Points:
    """A point for each vector, within -1 and 1 both ways; errors: UsageError if scikit-learn is not installed.

    It begins from the two directions in which the vectors differ most, and reckons on one thread: nothing is drawn.
    """
    check_projection()
    count = len(vectors)
    start = _principal(vectors)
    if count < 4:  # too few to have neighbours
        return _within_one(start)
    tsne = import_module("sklearn.manifold").TSNE(
        perplexity=min(_PERPLEXITY, (count - 1) / 3),
        init=(start / (start[:, 0].std() or 1) * _START).astype(np.float32),
        method="exact" if count <= _MOST_EXACT else "barnes_hut",
        random_state=0,
        n_jobs=1,
    )
    with import_module("threadpoolctl").threadpool_limits(1):
        return _within_one(tsne.fit_transform(vectors))


def _principal(vectors: Vectors) -> Vectors:
    """The coordinates along the first two principal axes, whose signs are fixed by their largest part."""
    centred = vectors - vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:2]
    axes = axes * np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    places = centred @ axes.T
    return np.pad(places, ((0, 0), (0, 2 - places.shape[1])))


def _within_one(places: Vectors) -> Points:
    centred = places - (places.max(axis=0) + places.min(axis=0)) / 2
    scale = float(np.abs(centred).max()) or 1.0
    return [(round(float(x) / scale, 4), round(float(y) / scale, 4)) for x, y in centred]
