"""A package that is needed and is not there, or is too old, is one sentence that says what installs it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from runtime.errors import MissingPackage, UsageError
from runtime.installed import require

ROOT = Path(__file__).parent.parent.parent


def test_a_package_in_its_lowest_version_will_do() -> None:
    require("pydantic", "2.12")
    require("pydantic", "2.0.0.0")


def test_a_package_that_is_not_installed_is_named_with_its_extra() -> None:
    with pytest.raises(MissingPackage, match=r"^This needs no-such-thing, which is not installed; `pip install"):
        require("no-such-thing", "1.0", extra="nothing")


def test_a_package_that_is_too_old_is_named_with_both_versions() -> None:
    with pytest.raises(UsageError, match=r"This needs pydantic 99\.1 or later, and '2\..*' is installed"):
        require("pydantic", "99.1")


def test_the_versions_that_the_code_asks_for_are_those_of_the_metadata() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    recipes = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")  # of frameworks that are no extras
    stated = " ".join([*project["dependencies"], *sum(project["optional-dependencies"].values(), [])])
    asked = [
        found
        for package in ("runtime", "worldsmith")
        for path in ROOT.glob(f"{package}/**/*.py")
        for found in re.findall(r'\brequire\("([\w-]+)", "([\d.]+)"', path.read_text(encoding="utf-8"))
    ]
    assert ("mcp", "2.0") in asked
    for package, lowest in asked:
        in_recipes = re.search(rf"\| [^|]+ \| (?:{package} )?{re.escape(lowest)}[.,\d]* ?[^|]*\|", recipes)
        assert in_recipes or re.search(rf"(?:^| ){package}>={re.escape(lowest)}(?:,| |$)", stated), package
