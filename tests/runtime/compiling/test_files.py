"""What a compiled server consists of: what serving needs, the same bytes each time, and nothing that judges."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runtime.compiling import compile_domain, import_closure, make_bundle, make_manifest, requirements
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.task.task_file import read_tasks
from tests.conftest import LIBRARY, SHIPPED_LIBRARY
from tests.making import make_domain

SERVED = {
    *("server.py", "compiled.json", "domain/domain.json", "domain/schema.sql", "domain/policy.md", "domain/world.py"),
    "domain/rules.py",
    *(f"domain/tools/{name}.py" for name in ("books", "cards", "holds", "loans", "members")),
}


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    """The library's compiled files."""
    return compile_domain(load_domain(LIBRARY))


def test_it_holds_serving_files_and_the_serving_part_of_the_runtime(files: dict[str, bytes]) -> None:
    own = {name for name in files if not name.startswith("runtime/")}
    assert own == SERVED
    parts = {name.split("/")[1] for name in files if name.startswith("runtime/")}
    assert parts == {
        "__init__.py",
        "errors.py",
        "environment.py",
        "wording.py",
        "sandbox",
        "domain",
        "session",
        "rules.py",
        "server",
    }


def test_it_holds_no_task_case_scenario_or_answer(files: dict[str, bytes], library: Domain) -> None:
    bundle = zipfile.ZipFile(io.BytesIO(make_bundle(library, files)))
    everything = {**files, **{name: bundle.read(name) for name in bundle.namelist()}}
    telling = re.compile(r"task|case|scenario|answer|graph|proof|verif|judge|harness|command|generator|story|test")
    assert [name for name in everything if telling.search(name)] == []
    text = b"\n".join(everything.values()).decode("utf-8", "replace")
    for task in read_tasks(library).values():
        said = [task.id, task.title, task.user.profile, *task.user.words]
        assert [words for words in said if words in text] == []
    for name in ("scenarios.py", "tasks.jsonl"):
        for line in (LIBRARY / name).read_text(encoding="utf-8").splitlines():
            known = len(line) < 40 or line.startswith(("from ", "import "))
            assert known or line.strip() not in text, line


def test_the_same_domain_gives_the_same_bytes(files: dict[str, bytes], library: Domain) -> None:
    again = load_domain(LIBRARY)
    assert compile_domain(again) == files
    assert make_bundle(again, files) == make_bundle(library, files)


def test_lines_that_end_as_on_windows_give_the_same_bytes(tmp_path: Path) -> None:
    domain = make_domain(tmp_path)
    plain = compile_domain(domain)
    for path in (domain.path / "schema.sql", domain.path / "tools" / "things.py"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert compile_domain(load_domain(domain.path)) == plain


def test_the_files_say_whose_they_are(files: dict[str, bytes], library: Domain) -> None:
    card = json.loads(files["compiled.json"])
    assert (card["domain"], card["version"], card["digest"]) == ("library", library.card.version, library.digest)
    assert card["files"] == [name for name in files if name != "compiled.json"]


def test_the_header_asks_for_the_three_packages_as_the_project_does(files: dict[str, bytes]) -> None:
    header = files["server.py"].decode().split("# ///")[1]
    asked = re.findall(r'"(.*?)"', header)
    assert asked == [">=3.11", *requirements()]
    assert [re.split(r"[<>=]", one)[0] for one in requirements()] == ["aiosqlite", "mcp", "pydantic"]
    project = (SHIPPED_LIBRARY.parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    for requirement in requirements():
        name = re.split(r"[<>=]", requirement)[0]
        (line,) = re.findall(rf'^    "{name}([<>=].*)",$', project, re.MULTILINE)
        assert set(line.split(",")) == set(requirement.removeprefix(name).split(","))


def test_a_closure_follows_imports_into_functions_and_up_to_the_packages() -> None:
    closure = import_closure("runtime.server.standalone")
    assert {"runtime/__init__.py", "runtime/server/http.py", "runtime/server/debug.py"} <= closure.keys()
    assert list(closure) == sorted(closure)
    assert list(import_closure("runtime.errors")) == ["runtime/errors.py"]


@pytest.mark.parametrize(
    ("real", "rows"), [(True, "given rows, which may be about real people,"), (False, "made-up rows")]
)
def test_the_manifest_says_whose_the_rows_are(library: Domain, real: bool, rows: str) -> None:
    card = library.card.model_copy(update={"real_rows": real})
    said = make_manifest(replace(library, card=card))["long_description"]
    assert f"a database with {rows} behind" in said


def test_the_manifest_lists_the_tools_and_asks_for_folder_and_size(library: Domain) -> None:
    manifest: dict[str, Any] = make_manifest(library)
    assert [tool["name"] for tool in manifest["tools"]] == list(library.tools)
    assert all(tool["description"] for tool in manifest["tools"])
    assert (manifest["display_name"], manifest["description"]) == (library.card.title, library.card.summary)
    assert manifest["user_config"].keys() == {"debug", "state_folder", "world_size"}
    asked = set(re.findall(r"\$\{user_config\.(\w+)\}", json.dumps(manifest["server"])))
    assert asked == manifest["user_config"].keys()


def test_a_bundle_is_the_directory_with_a_manifest_an_icon_and_a_project(
    files: dict[str, bytes], library: Domain
) -> None:
    bundle = zipfile.ZipFile(io.BytesIO(make_bundle(library, files)))
    assert bundle.testzip() is None
    assert {name: bundle.read(name) for name in files} == files
    assert set(bundle.namelist()) - files.keys() == {"manifest.json", "icon.png", "pyproject.toml"}
