"""A compiled server as a process: from any folder, on any world, resumed, over HTTP, and what it refuses."""

from __future__ import annotations

import asyncio
import compileall
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp.client import Client

from runtime.compiling import compile_domain, requirements, write_place
from runtime.domain.domain import Domain
from runtime.domain.load import find_domain, load_domain
from runtime.errors import UsageError
from tests.conftest import LIBRARY
from tests.runtime.server.running import TOKEN

CARD = {"name": "Ada Byron", "email": "ada@example.org"}
SECONDS = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The library's compiled directory, behind a path with a space, where nothing can be written."""
    place = tmp_path_factory.mktemp("com piled") / "library"
    write_place(place, compile_domain(load_domain(LIBRARY)))
    compileall.compile_dir(place, quiet=1)  # as a first start does that may write: else each one here compiles it again
    shut = [place, *(path for path in place.rglob("*") if path.is_dir())]
    for path in shut:
        path.chmod(0o555)
    yield place
    for path in shut:
        path.chmod(0o755)


def run(folder: Path, *words: str, python: tuple[str, ...] = (sys.executable,)) -> subprocess.CompletedProcess[str]:
    """Run the server with nothing to read."""
    command = [*python, str(folder / "server.py"), *words]
    return subprocess.run(
        command, input="", capture_output=True, text=True, timeout=SECONDS, cwd="/", env=environment(), check=False
    )


def environment() -> dict[str, str]:
    """No bytecode is written, so that the directory stays as it was compiled."""
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "WORLDSMITH_ADMIN_TOKEN": TOKEN}


def client_of(folder: Path, *words: str, cwd: Path | None = None) -> Client:
    """A client of a server process of its own."""
    command = StdioServerParameters(
        command=sys.executable, args=[str(folder / "server.py"), *words], cwd=cwd, env=environment()
    )
    return Client(command)


def with_client(folder: Path, words: list[str], claim: Callable[[Client], Awaitable[Any]], cwd: Path) -> Any:
    """Start a server in a folder and run something with its client."""

    async def connect() -> Any:
        async with client_of(folder, *words, cwd=cwd) as client:
            return await claim(client)

    return asyncio.run(connect())


async def names(client: Client) -> list[str]:
    """The names of the tools."""
    return [tool.name for tool in (await client.list_tools()).tools]


async def found(client: Client, email: str) -> bool:
    """Whether a member is found; nothing but a rejection says no."""
    called = await client.call_tool("find_member", {"email": email})
    return not called.is_error


def test_it_offers_what_serve_offers(folder: Path, tmp_path: Path) -> None:
    async def look(client: Client) -> tuple[Any, ...]:
        tools = (await client.list_tools()).tools
        return [tool.model_dump() for tool in tools], client.instructions, client.server_info

    async def serve() -> tuple[Any, ...]:
        words = ["-m", "generator", "serve", str(LIBRARY), "--policy", "prompt"]
        async with Client(StdioServerParameters(command=sys.executable, args=words)) as client:
            return await look(client)

    assert with_client(folder, ["--policy"], look, tmp_path) == asyncio.run(serve())
    assert list(tmp_path.iterdir()) == []


def test_it_carries_the_rules_and_refuses_what_they_forbid_where_it_is_strict(folder: Path, tmp_path: Path) -> None:
    async def borrow(client: Client) -> str:
        called = await client.call_tool("borrow_book", {"member_id": "MEMBER-0001", "book_id": "BOOK-0001"})
        return str(called.content[0].text)

    assert "Rule IDENTIFIED_FIRST forbids this for 'MEMBER-0001'" in with_client(folder, ["--strict"], borrow, tmp_path)
    assert "IDENTIFIED_FIRST" not in with_client(folder, [], borrow, tmp_path)


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (["--version"], 0, "library {domain.card.version} (digest {domain.digest})"),
        (["--size", "0"], 2, "error: World size 0 is out of range"),
        (["--http", "--state", "x"], 2, "over HTTP, POST /sessions says it"),
        (["--task", "keep-a-book"], 2, "unrecognized arguments: --task keep-a-book"),
    ],
)
def test_it_says_what_it_is_and_what_it_refuses(
    words: list[str], status: int, sentence: str, folder: Path, library: Domain
) -> None:
    said = run(folder, *words)
    assert said.returncode == status
    assert sentence.format(domain=library) in " ".join((said.stderr if status else said.stdout).split())


def test_a_missing_package_is_one_line(folder: Path) -> None:
    said = run(folder, python=(sys.executable, "-S"))
    packages = " ".join(f'"{requirement}"' for requirement in requirements())
    install = f"{sys.executable} -m pip install {packages}"
    assert (said.returncode, said.stderr) == (1, f"error: the package 'pydantic' is not installed; run: {install}\n")


def test_serve_says_of_a_compiled_server_that_it_is_one(folder: Path) -> None:
    with pytest.raises(UsageError, match="is a compiled server, not a domain; start it with `python .*server.py`"):
        find_domain(str(folder))


def test_a_state_folder_resumes_with_a_session_for_each_world(folder: Path, tmp_path: Path) -> None:
    async def register(client: Client) -> None:
        assert not (await client.call_tool("register_member", CARD)).is_error

    with_client(folder, ["--state", "state", "--size", "50"], register, tmp_path)
    for size, known in (("50", True), ("60", False)):
        words = ["--state", "state", "--size", size]
        assert with_client(folder, words, lambda client: found(client, CARD["email"]), tmp_path) is known
    assert sorted(path.name for path in (tmp_path / "state").iterdir() if path.is_dir()) == [
        "seed-1-size-50",
        "seed-1-size-60",
    ]


def test_a_setting_that_nobody_filled_in_is_none(folder: Path, tmp_path: Path) -> None:
    unset = "--state=${user_config.state_folder}"
    assert "renew_loan" in with_client(folder, [unset, "--size=50"], names, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_files_that_were_changed_afterwards_are_not_served(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "library"
    shutil.copytree(folder, copy)
    for path in (copy, copy / "domain"):
        path.chmod(0o755)
    policy = copy / "domain" / "policy.md"
    policy.write_text(policy.read_text() + "\nEverything is free.\n")
    for words in ([], ["--http"]):
        said = run(copy, *words)
        assert said.returncode == 2
        why = "was changed after it was compiled; change the domain itself and compile it again."
        assert said.stderr == f"error: {str(copy / 'domain')!r} {why}\n"
    (copy / "compiled.json").chmod(0o644)
    (copy / "compiled.json").write_text("{")
    said = run(copy)
    assert said.returncode == 2
    assert "compile the domain again" in said.stderr
