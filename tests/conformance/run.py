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

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tests.conformance.checks import Check, report
from tests.conformance.inspector import INSPECTOR, call_inspector, result_of, sensible_calls
from tests.conformance.programs import folder_of, prepare, run_program
from tests.conformance.serving import Served, serve

DOMAIN = "library"
STDIO = (sys.executable, "-m", "generator", "serve", DOMAIN)

OLDER = "@modelcontextprotocol/conformance@0.1.16"
NEWER = "@modelcontextprotocol/conformance@0.2.0-alpha.12"


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


def main() -> int:
    """Print one line for each check and a closing count; 1 if any check failed."""
    return report(run_checks())


def run_checks() -> Iterator[Check]:
    """Install, serve, and run every scenario and every call; errors: NotCovered."""
    try:
        node = prepare(OLDER, NEWER, INSPECTOR)
        with tempfile.TemporaryDirectory() as scratch, serve(STDIO, Path(scratch)) as served:
            for scenario in SCENARIOS:
                yield _run_scenario(node, scenario, served, Path(scratch))
            yield from _inspect(node, served)
    except (OSError, RuntimeError) as error:
        yield Check(f"run against a served {DOMAIN}", f"{type(error).__name__}: {error}")


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
    calls = sensible_calls(served.rows)
    url = ("--transport", "http", "--server-url", served.url + served.session_path)
    for era, where, target in (("legacy", "stdio", STDIO), ("modern", "stdio", STDIO), ("modern", "session URL", url)):
        name = f"inspector tools/list --strict, {era} era, {where}"
        ended = call_inspector(node, target, era, "tools/list", "--strict")
        tools = {tool["name"] for tool in result_of(ended).get("tools", ())}
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


def _call_tool(node: str, era: str, tool: str, arguments: Mapping[str, Any], rejection: str = "") -> Check:
    """Expect structured content and status 0, or a rejection of this kind and status 5."""
    name = f"inspector tools/call {tool}, {era} era, stdio" + (f", rejected with {rejection}" if rejection else "")
    asked = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
    ended = call_inspector(node, STDIO, era, "tools/call", *asked)
    result = result_of(ended)
    if rejection:
        # Status 5 alone is also what the Inspector says of a tool that does not exist.
        text = "".join(part.get("text", "") for part in result.get("content", ()))
        expected = ended.code == 5 and result.get("isError") is True and text.startswith(rejection)
    else:
        expected = ended.code == 0 and bool(result.get("structuredContent"))
    return Check(name, "" if expected else ended.tail())


if __name__ == "__main__":
    sys.exit(main())
