"""Check a compiled server and its bundle with the tools that people use: `python -m tests.conformance.compiled`.

The library is compiled, copied into an empty folder whose name has a space, and run in a virtual environment with only
the packages that its header names. The MCP Inspector lists and calls every tool of it and plays a task, which is then
judged outside. The official `mcpb` validates, packs and unpacks the bundle, which is started as its manifest says.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters
from mcp.client import Client

from runtime.compiling import requirements
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.session.world import WorldCache
from runtime.task.task import bind
from runtime.task.task_file import find_task
from runtime.task.values import told_value
from tests.conformance.checks import Check, report
from tests.conformance.inspector import INSPECTOR, call_inspector, result_of, sensible_calls
from tests.conformance.programs import ROOT, Ended, folder_of, prepare, run_program

MCPB = "@anthropic-ai/mcpb@2.1.2"
DOMAIN = "library"
TASK = "late-and-next"
WORLDSMITH = (sys.executable, "-m", "generator")
CONFIGURE = """
import { getMcpConfigForManifest } from "MODULE";
import { readFileSync } from "node:fs";
const [folder, settings] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(folder + "/manifest.json", "utf-8"));
const userConfig = JSON.parse(settings);
const options = { manifest, extensionPath: folder, systemDirs: {}, userConfig, pathSeparator: "/" };
console.log(JSON.stringify(await getMcpConfigForManifest(options)));
"""


def run_checks() -> Iterator[Check]:
    """Install, compile, and run every check; errors: NotCovered."""
    try:
        node = prepare(INSPECTOR, MCPB)
        with tempfile.TemporaryDirectory() as scratch:
            yield from _check_in(Path(scratch), node)
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        yield Check(f"run a compiled {DOMAIN}", f"{type(error).__name__}: {error}")


def _check_in(folder: Path, node: str) -> Iterator[Check]:
    domain = load_domain(ROOT / "domains" / DOMAIN)
    ended = run_program([*WORLDSMITH, "compile", DOMAIN, "--out", str(folder / "out")], seconds=60)
    yield Check(f"worldsmith compile {DOMAIN}", "" if ended.code == 0 else ended.tail())
    server = folder / "an empty folder" / "server"
    shutil.copytree(folder / "out" / DOMAIN, server)
    python = _make_environment(folder / "environment")
    yield _only_the_packages(python)
    command = [str(python), str(server / "server.py")]
    yield from _call_every_tool(node, command, domain)
    yield from _play_a_task(node, command, domain, folder)
    yield from _use_the_bundle(node, folder / "out" / f"{DOMAIN}.mcpb", domain, folder)


def _make_environment(folder: Path) -> Path:
    """The Python of a virtual environment with the packages that a compiled server asks for, and what these bring."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True, timeout=120)
    python = folder / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", *requirements()]
    subprocess.run(install, check=True, stdout=subprocess.DEVNULL, timeout=300)
    return python


def _only_the_packages(python: Path) -> Check:
    ended = run_program([str(python), "-P", "-c", "import generator"], seconds=30)
    return Check("the environment has no worldsmith", "" if "No module named" in ended.err else ended.tail())


def _call_every_tool(node: str, command: Sequence[str], domain: Domain) -> Iterator[Check]:
    with closing(WorldCache().take(domain).open()) as rows:
        calls = sensible_calls(rows)
    for era in ("modern", "legacy"):
        ended = call_inspector(node, command, era, "tools/list", "--strict")
        listed = [tool["name"] for tool in result_of(ended).get("tools", ())]
        fine = ended.code == 0 and listed == list(domain.tools) and set(listed) == set(calls)
        yield Check(f"compiled: inspector tools/list --strict, {era} era", "" if fine else ended.tail())
    for tool, arguments in calls.items():
        ended = _call(node, command, tool, arguments)
        fine = ended.code == 0 and bool(result_of(ended).get("structuredContent"))
        yield Check(f"compiled: inspector tools/call {tool}", "" if fine else ended.tail())


def _play_a_task(node: str, command: Sequence[str], domain: Domain, folder: Path) -> Iterator[Check]:
    """Each call is a process of its own that resumes where the last one ended."""
    start, state = folder / "start.db", folder / "state"
    ended = run_program(
        [*WORLDSMITH, "export", DOMAIN, *f"--format world --task {TASK} --out".split(), str(start)], seconds=60
    )
    yield Check(f"worldsmith export --format world --task {TASK}", "" if ended.code == 0 else ended.tail())
    played = [*command, "--world", str(start), "--state", str(state), "--session", "mine"]
    yield from _play(node, played, domain)
    told = [f"--told={answer.name}={told_value(answer)}" for answer in find_task(domain, TASK).answers]
    judged = [*WORLDSMITH, "verify", "--domain", DOMAIN, "--task", TASK]
    ended = run_program([*judged, *told, str(state / "mine" / "state.db")], seconds=60)
    yield Check("the state it leaves is rewarded 1", "" if ended.out.startswith("Reward 1,") else ended.tail())
    ended = run_program([*judged, *told, str(start)], seconds=60)
    yield Check("the state it started from is rewarded 0", "" if ended.out.startswith("Reward 0,") else ended.tail())


def _play(node: str, target: Sequence[str], domain: Domain) -> Iterator[Check]:
    results: list[Mapping[str, Any]] = []
    for step in find_task(domain, TASK).chain:
        ended = _call(node, target, step.tool, bind(step.arguments, results))
        content = result_of(ended).get("structuredContent")
        yield Check(f"compiled: {TASK} step {len(results)}, {step.tool}", "" if content else ended.tail())
        if not content:
            return
        results.append(content)


def _use_the_bundle(node: str, bundle: Path, domain: Domain, folder: Path) -> Iterator[Check]:
    package = folder_of(MCPB) / "node_modules" / "@anthropic-ai" / "mcpb" / "dist"
    mcpb = [node, str(package / "cli" / "cli.js")]
    first, packed, second = folder / "first", folder / "packed.mcpb", folder / "second time"
    for words in (
        ["unpack", str(bundle), str(first)],
        ["validate", str(first / "manifest.json")],
        ["pack", str(first), str(packed)],
        ["unpack", str(packed), str(second)],
    ):
        ended = run_program([*mcpb, *words], seconds=60)
        fine = ended.code == 0 and "ERROR" not in ended.out + ended.err
        yield Check(f"mcpb {words[0]} {Path(words[1]).name}", "" if fine else ended.tail())
    same = {path: path.read_bytes() for path in _files(first)} == {
        first / path.relative_to(second): path.read_bytes() for path in _files(second)
    }
    yield Check("mcpb packs every file as it is", "" if same else "the unpacked files differ")
    script = folder / "configure.mjs"
    script.write_text(CONFIGURE.replace("MODULE", (package / "index.js").as_uri()))
    kept = folder / "kept here"
    for name, settings in (("as it comes", {}), ("with settings", {"world_size": 60, "state_folder": str(kept)})):
        ended = run_program([node, str(script), str(second), json.dumps(settings)], seconds=30)
        try:
            complaint = asyncio.run(_start_as_said(json.loads(ended.out), domain))
        except ValueError:
            complaint = ended.tail()
        yield Check(f"the bundle starts as its manifest says, {name}", complaint)
    with closing(sqlite3.connect(kept / "seed-1-size-60" / "state.db")) as state:
        (count,) = state.execute("SELECT count(*) FROM member WHERE name = 'Ada Okoye'").fetchone()
    yield Check("its state is where the settings say", "" if count == 1 else f"{count} members were made")


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")


async def _start_as_said(config: Mapping[str, Any], domain: Domain) -> str:
    """Start a server as a client does that was given this configuration, and call a tool; what went wrong, if so."""
    # uv brings its own certificates; a machine behind a proxy has others.
    trusting = {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1", "UV_NO_PROGRESS": "1"}
    environment = {**os.environ, **config.get("env", {}), **trusting}
    command = StdioServerParameters(command=config["command"], args=config["args"], env=environment, cwd="/")
    async with asyncio.timeout(120), Client(command) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        called = await client.call_tool("register_member", {"name": "Ada Okoye", "email": "ada.okoye@example.org"})
    return "" if listed == list(domain.tools) and not called.is_error else f"listed {listed}, called {called.content}"


def _call(node: str, target: Sequence[str], tool: str, arguments: Mapping[str, Any]) -> Ended:
    asked = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
    return call_inspector(node, target, "modern", "tools/call", *asked)


if __name__ == "__main__":
    sys.exit(report(run_checks()))
