"""What most gate jobs are asked: a domain's folder, all of it or a share of its tools or tasks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class FolderRequest:
    """A domain folder."""

    folder: Path


@dataclass(frozen=True)
class ShareRequest:
    """A share of the tools or tasks of a domain folder: what several processes divide among them."""

    folder: Path
    share: int = 0
    shares: int = 1


def cut_in_shares(folder: Path, shares: int) -> list[ShareRequest]:
    """Return the requests that make up a whole."""
    return [ShareRequest(folder, share, shares) for share in range(shares)]
