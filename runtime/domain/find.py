"""Find a domain by its path, or by its name in `./domains` and among those that the installed package carries."""

from __future__ import annotations

from pathlib import Path

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.sandbox.files import is_there
from runtime.wording import have

_PACKAGE = Path(__file__).resolve().parent.parent


def find_domain(name: str) -> Domain:
    """Load the domain of this name or path; errors: UsageError, BrokenDomain."""
    return load_domain(_place_of(name))


def find_named(name: str) -> Domain:
    """Load the domain that has this name here, never a folder of that path; errors: UsageError, BrokenDomain."""
    known = known_domains()
    if name not in known:
        raise UsageError(f"no domain {name!r:.100}; {have(name, known)}")
    return load_domain(known[name])


def find_folder(name: str) -> Path:
    """The whole path of the folder that a name or path means; nothing in it is executed. Errors: UsageError."""
    path = _place_of(name)
    if not is_there(path / "domain.json"):
        raise UsageError(f"{name!r} is not a domain folder; it has no domain.json.")
    return path.resolve()


def is_carried(name: str) -> bool:
    """True if a name means a domain shipped inside the package, whose folder must not be written to."""
    path = _place_of(name).resolve()
    if path.is_relative_to(_PACKAGE):
        return True
    return not _is_path(name) and not path.is_relative_to(Path("domains").resolve())


def _place_of(name: str) -> Path:
    known = known_domains()
    path = Path(name) if _is_path(name) else known.get(name, Path("domains") / name)
    if not (path / "domain.json").exists():
        if (path / "answers.jsonl").is_file():
            raise UsageError(
                f"{str(path)!r} is only half built: it has answers, but no domain.json yet; "
                "run the same `worldsmith new` command again to go on."
            )
        if (path / "compiled.json").is_file():
            raise UsageError(
                f"{str(path)!r} is a compiled server, not a domain; start it with `python {path / 'server.py'}`, or "
                "name the domain that it was made of."
            )
        if not _is_path(name):
            raise UsageError(f"no domain {name!r}; {have(name, known)}")
    return path


def _is_path(name: str) -> bool:
    return "/" in name or "\\" in name or (Path(name) / "domain.json").is_file()


def known_domains() -> dict[str, Path]:
    """Every domain that a name can mean, by name; the nearest folder wins."""
    found: dict[str, Path] = {}
    for root in named_folders():
        for card in sorted(root.glob("*/domain.json")):
            found.setdefault(card.parent.name, card.parent)
    return dict(sorted(found.items()))


def named_folders() -> list[Path]:
    """The folders in which a name is looked up, the nearest first."""
    checkout = _PACKAGE.parent
    in_checkout = [checkout / "domains"] if (checkout / "pyproject.toml").is_file() else []
    return [Path("domains"), *in_checkout, _PACKAGE / "carried"]
