"""Start serving as a command line asks: the options that `worldsmith serve` and a compiled server share."""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.domain.domain import Domain, warn_of_real_rows
from runtime.environment import require_mcp
from runtime.errors import UsageError
from runtime.session.faults import FaultPlan, FaultSource, read_fault_plan
from runtime.session.hybrid import resume_session, start_session, take_world
from runtime.session.session import Session
from runtime.session.world import DEFAULT_SEED, DEFAULT_SIZE, LARGEST_SIZE, World, WorldCache, read_world

if TYPE_CHECKING:
    from runtime.server.offer import Extras

OpenSession = Callable[[WorldCache, Domain, Mapping[str, Any]], Session]  # as a request over HTTP asks


def add_world_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    world = parser.add_argument_group("the world a session starts from")
    world.add_argument("--seed", type=int, help=f"seed of the world (default {DEFAULT_SEED})")
    world.add_argument("--size", type=int, help=f"rows of the world, about (default {DEFAULT_SIZE})")
    world.add_argument("--world", type=Path, metavar="FILE.db", help="your own database file that fits the schema")
    return world


def add_state_options(parser: argparse.ArgumentParser) -> None:
    session = parser.add_argument_group("where a session's state lives (default: in memory)")
    session.add_argument("--state", type=_folder, metavar="DIR", help="folder for state that survives the process")
    session.add_argument(
        "--session", metavar="NAME", help="which session in that folder; resumes if it exists (default: by the world)"
    )


def add_http_options(parser: argparse.ArgumentParser) -> None:
    http = parser.add_argument_group("HTTP")
    http.add_argument("--http", action="store_true", help="serve over streamable HTTP instead of stdio")
    http.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
    http.add_argument("--port", type=int, default=8765, help="port to listen on (default 8765)")
    http.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME[:PORT]", help="a further name clients and pages use"
    )
    http.add_argument("--max-sessions", type=int, default=10_000, help="sessions at once (default 10000)")
    http.add_argument("--max-connections", type=int, default=1_000, help="connections at once (default 1000)")
    http.add_argument("--idle", type=float, default=1_800, metavar="SECONDS", help="end idle sessions (default 1800)")


def add_fault_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for a service that fails."""
    faults = parser.add_argument_group("failures of the service (docs/faults.md)")
    faults.add_argument("--faults", metavar="PLAN", help="none, mild, harsh, or a .toml file (default none)")
    faults.add_argument("--real-time", action="store_true", help="slow calls take their seconds, rather than say them")
    faults.add_argument("--fault-seed", type=int, default=1, metavar="N", help="which calls fail (default 1)")


def _fault_plan(arguments: argparse.Namespace, tools: Collection[str]) -> FaultPlan | None:
    plan = read_fault_plan(arguments.faults, tools)
    if not arguments.real_time:
        return plan
    if plan is None:
        raise UsageError("--real-time is for slow calls, and without --faults there are none; give a plan too.")
    return plan.model_copy(update={"real_time": True})


def add_rules_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what an agent is told of the domain's rules, and whether they bind it."""
    parser.add_argument(
        "--policy",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="state the domain's policy in the server's instructions",
    )
    parser.add_argument("--strict", action="store_true", help="refuse calls that the domain's rules forbid")


def check_strict(arguments: argparse.Namespace, domain: Domain) -> None:
    """Refuse a strict server of a domain without rules; errors: UsageError."""
    if arguments.strict and not domain.rules.rules:
        raise UsageError(f"Domain {domain.name!r} has no rules that could refuse a call; leave --strict out.")


def say(line: str) -> None:
    """Tell the person who started the server."""
    print(line, file=sys.stderr)


def check_options(arguments: argparse.Namespace, task: str | None = None) -> None:
    """Refuse options that name two worlds, or do not go together; errors: UsageError."""
    if arguments.http and (arguments.state or arguments.session or arguments.world or task):
        raise UsageError("--state, --session, --task and --world are for stdio; over HTTP, POST /sessions says it")
    if arguments.session is not None and arguments.state is None:
        raise UsageError("--session names a session in a folder; pass --state DIR, too")
    if sum(map(bool, (arguments.world, task, asked_world(arguments)))) > 1:
        raise UsageError("pass one of --world, --task, and --seed with --size")
    if arguments.size is not None and not 1 <= arguments.size <= LARGEST_SIZE:
        raise UsageError(f"World size {arguments.size} is out of range; it counts rows, from 1 to {LARGEST_SIZE:,}.")


def asked_world(arguments: argparse.Namespace) -> dict[str, int]:
    return {name: getattr(arguments, name) for name in ("seed", "size") if getattr(arguments, name) is not None}


def open_session(
    arguments: argparse.Namespace, domain: Domain, task: tuple[str, Callable[[], World]] | None = None
) -> Session:
    """Open the session that options ask for; `task` is its id and what makes its world.

    Errors: UsageError, EnvironmentFault.
    """
    asked: dict[str, Any] = {"task": task[0]} if task else dict(asked_world(arguments))
    strict = arguments.strict
    plan = _fault_plan(arguments, domain.tools)
    faults = None if plan is None else FaultSource(plan, arguments.fault_seed)

    def make_world() -> World:
        if arguments.world is not None:
            told: Any = domain.card.provenance.get("renamed")  # free text to whoever wrote the domain
            pairs = told.items() if isinstance(told, dict) else ()
            renamed = {name: said for name, said in pairs if isinstance(said, str)}
            return read_world(arguments.world, domain.schema, domain.policies, say, renamed)
        return task[1]() if task else take_world(WorldCache(), domain, **asked)

    if arguments.state is None:
        return start_session(domain, make_world(), strict=strict, faults=faults)
    usual = f"seed-{asked.get('seed', DEFAULT_SEED)}-size-{asked.get('size', DEFAULT_SIZE)}"
    name = arguments.session or (task[0] if task else arguments.world.stem if arguments.world else usual)
    return resume_session(domain, arguments.state, name, make_world, asked, strict=strict, faults=faults)


def run_stdio(arguments: argparse.Namespace, session: Session, extras: Extras | None) -> int:
    """Serve one session on stdin and stdout until stdin closes."""
    require_mcp()
    from runtime.server.offer import serve_stdio

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that reads stdin would hold up any other way to end
    asyncio.run(serve_stdio(session, with_policy=arguments.policy, extras=extras))
    return 0


def run_http(
    arguments: argparse.Namespace,
    domains: Mapping[str, Domain],
    open_session: OpenSession,
    extras: Callable[[Domain], Extras | None],
) -> int:
    _check_http(arguments)
    require_mcp()
    from runtime.server.http import HttpServer, HttpSettings, make_uvicorn

    worlds = WorldCache()
    defaults: dict[str, Any] = asked_world(arguments)
    plan = _fault_plan(arguments, [name for domain in domains.values() for name in domain.tools])

    def open_asked(domain: Domain, asked: Mapping[str, Any]) -> Session:
        wanted = asked if "task" in asked else {**defaults, **asked}
        session = open_session(worlds, domain, wanted)
        if plan is not None:
            session.faults = FaultSource(plan, asked.get("fault_seed", arguments.fault_seed))
        return session

    token = os.environ.get("WORLDSMITH_ADMIN_TOKEN") or secrets.token_urlsafe(24)
    settings = HttpSettings(
        host=arguments.host,
        port=arguments.port,
        admin_token=token,
        allowed_hosts=tuple(arguments.allow_host),
        most_sessions=arguments.max_sessions,
        idle_seconds=arguments.idle,
        most_connections=arguments.max_connections,
        with_policy=arguments.policy,
        faults=plan,
    )
    server = HttpServer(domains, open_asked, settings, extras)
    base = f"http://{arguments.host}:{arguments.port}"
    for name in domains:
        print(f"{base}/{name}/mcp", file=sys.stderr)
    if not os.environ.get("WORLDSMITH_ADMIN_TOKEN"):
        print(f"admin token for {base}/sessions: {token}", file=sys.stderr)
    if arguments.host not in ("127.0.0.1", "::1", "localhost"):
        warn_of_real_rows([name for name, each in domains.items() if each.card.real_rows], f"what {base} serves")
    say(f"POST {base}/sessions makes a session; Ctrl-C ends the server")
    asyncio.run(make_uvicorn(server, settings).serve())
    return 0


def open_asked_world(worlds: WorldCache, domain: Domain, asked: Mapping[str, Any], *, strict: bool = False) -> Session:
    """The session that a request describes by seed and size; errors: UsageError, EnvironmentFault."""
    if "task" in asked:
        raise UsageError("This server has no tasks; say seed and size.")
    world = take_world(worlds, domain, asked.get("seed", DEFAULT_SEED), asked.get("size", DEFAULT_SIZE))
    return start_session(domain, world, strict=strict)


def _folder(text: str) -> Path | None:
    """Return the folder, or None for an empty bundle setting, which some clients pass on as a placeholder."""
    return Path(text) if text and not text.startswith("${user_config.") else None


def _check_http(arguments: argparse.Namespace) -> None:
    if not 0 < arguments.port < 65_536:
        raise UsageError(f"--port is {arguments.port}; a port lies between 1 and 65535")
    for name in ("max_sessions", "max_connections"):
        if getattr(arguments, name) < 1:
            raise UsageError(f"--{name.replace('_', '-')} is {getattr(arguments, name)}; at least 1")
    if not arguments.idle > 0:
        raise UsageError(f"--idle is {arguments.idle}; a number of seconds above 0")
    try:
        socket.create_server((arguments.host, arguments.port), family=_family_of(arguments.host)).close()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot listen on {arguments.host}:{arguments.port}: {reason}") from None


def _family_of(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
