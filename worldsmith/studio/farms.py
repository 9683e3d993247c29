"""The farms that the studio shows: of the list that was named, and of lists in this folder, as they go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from generator.commands.farm_state import FOLDERS, STATE, folder_of, is_running, read_farm
from runtime.domain.load import known_domains
from runtime.errors import UsageError
from runtime.wording import have
from worldsmith.studio.domains import size_and_time


class Farms:
    """The farms by the name of their list, without its ending."""

    def __init__(self, named: Path | None = None) -> None:
        self._named = named

    def list(self) -> list[dict[str, Any]]:
        """Return a card for each farm; one that cannot be read says why."""
        return [_card(name, folder) for name, folder in self._find().items()]

    def describe(self, name: str) -> dict[str, Any]:
        """Return how a farm goes, each build with the `page` of its domain, if it has one; errors: UsageError."""
        farms = self._find()
        if name not in farms:
            raise UsageError(f"There is no farm {name!r:.100}; {have(name, farms)}.")
        told, pages = read_farm(farms[name]), {str(path.resolve()): page for page, path in known_domains().items()}
        return {**told, "builds": [{**each, "page": pages.get(each["folder"])} for each in told["builds"]]}

    def stamps(self) -> dict[str, Any]:
        """Return what changes as a farm goes on, by its name."""
        return {name: (size_and_time(folder / STATE), is_running(folder)) for name, folder in self._find().items()}

    def _find(self) -> dict[str, Path]:
        own = [folder_of(self._named)] if self._named else []
        found = {path.name[1:-5]: path for path in (*sorted(Path().glob(FOLDERS)), *own)}
        return {name: path for name, path in found.items() if (path / STATE).is_file()}


def _card(name: str, folder: Path) -> dict[str, Any]:
    try:
        told = read_farm(folder)
    except UsageError as error:
        return {"farm": name, "error": str(error)}
    states = [each["state"] for each in told["builds"]]
    return {"farm": name, "title": told["title"], "runs": told["runs"], "states": states}
