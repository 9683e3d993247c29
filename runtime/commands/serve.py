"""`worldsmith serve`: offer domains to agents over stdio or HTTP."""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.find import find_domain
from runtime.errors import UsageError
from runtime.session.opening import DEFAULT_SEED, DEFAULT_SIZE, WorldShelf, open_stored_session
from runtime.session.session import Session
from runtime.session.world import World, read_world
from runtime.task.task import find_task, start_world


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "serve",
        help="offer domains over MCP: one over stdio, any number over HTTP (no model needed)",
        description="Serve a domain over stdio (one process, one session), or domains over streamable HTTP.",
    )
    parser.add_argument("domain", nargs="+", help="name or path of a domain; several only with --http")
    world = parser.add_argument_group("the world a session starts from")
    world.add_argument("--seed", type=int, help=f"seed of the world (default {DEFAULT_SEED})")
    world.add_argument("--size", type=int, help=f"rows of the world, about (default {DEFAULT_SIZE})")
    world.add_argument("--world", type=Path, metavar="FILE.db", help="your own database file that fits the schema")
    world.add_argument("--task", metavar="ID", help="the world of a task")
    world.add_argument("--principal", metavar="ID", help="the acting user, for tools that ask who calls")
    session = parser.add_argument_group("where a session's state lives (default: in memory)")
    session.add_argument("--state", type=Path, metavar="DIR", help="folder for state that survives the process")
    session.add_argument("--session", metavar="NAME", help="which session in that folder; resumes if it exists")
    http = parser.add_argument_group("HTTP")
    http.add_argument("--http", action="store_true", help="serve over streamable HTTP instead of stdio")
    http.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
    http.add_argument("--port", type=int, default=8765, help="port to listen on (default 8765)")
    http.add_argument("--allow-host", action="append", default=[], metavar="NAME", help="a further name clients use")
    http.add_argument("--max-sessions", type=int, default=10_000, help="sessions at once (default 10000)")
    http.add_argument("--idle", type=float, default=1_800, metavar="SECONDS", help="end idle sessions (default 1800)")
    parser.add_argument("--policy", action="store_true", help="state the domain's policy in the server's instructions")
    parser.add_argument(
        "--debug", action="store_true", help="add tools for people: start a task, show changes, verify, reset"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client leaves or the process is told to stop."""
    domains = {domain.name: domain for domain in map(find_domain, arguments.domain)}
    _check(arguments, domains)
    if arguments.http:
        _check_http(arguments)
        return _run_http(arguments, domains)
    return _run_stdio(arguments, next(iter(domains.values())))


def _check(arguments: argparse.Namespace, domains: Mapping[str, Domain]) -> None:
    if not arguments.http and len(arguments.domain) > 1:
        raise UsageError("stdio serves one domain; add --http to serve several")
    if len(domains) < len(arguments.domain):
        raise UsageError("a domain is named twice")
    if arguments.http and (arguments.state or arguments.session or arguments.task or arguments.world):
        raise UsageError("--state, --session, --task and --world are for stdio; over HTTP, POST /sessions says it")
    if bool(arguments.state) != bool(arguments.session):
        raise UsageError("--state and --session go together")
    if (
        sum(
            (
                arguments.world is not None,
                arguments.task is not None,
                arguments.seed is not None or arguments.size is not None,
            )
        )
        > 1
    ):
        raise UsageError("say one of --world, --task, and --seed with --size")


def _check_http(arguments: argparse.Namespace) -> None:
    if not 0 < arguments.port < 65_536:
        raise UsageError(f"--port is {arguments.port}; a port lies between 1 and 65535")
    if arguments.max_sessions < 1:
        raise UsageError(f"--max-sessions is {arguments.max_sessions}; at least 1")
    if not arguments.idle > 0:
        raise UsageError(f"--idle is {arguments.idle}; a number of seconds above 0")
    try:
        socket.create_server((arguments.host, arguments.port), family=_family_of(arguments.host)).close()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot listen on {arguments.host}:{arguments.port}: {reason}") from None


def _family_of(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _run_stdio(arguments: argparse.Namespace, domain: Domain) -> int:
    from runtime.server.stdio import serve_stdio

    session = _open_for_stdio(arguments, domain)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that reads stdin would hold up any other way to end
    asyncio.run(serve_stdio(domain, session, with_policy=arguments.policy, extras=_extras(arguments, domain)))
    return 0


def _open_for_stdio(arguments: argparse.Namespace, domain: Domain) -> Session:
    asked = {
        name: getattr(arguments, name) for name in ("seed", "size", "task") if getattr(arguments, name) is not None
    }
    principal = arguments.principal
    if arguments.task is not None:
        principal = principal or find_task(domain, arguments.task).principal

    def make_world() -> World:
        if arguments.world is not None:
            return read_world(arguments.world, domain.schema, domain.policies)
        if arguments.task is not None:
            return start_world(find_task(domain, arguments.task), domain)
        return WorldShelf().take(domain, **{name: asked[name] for name in ("seed", "size") if name in asked})

    if arguments.state is None:
        return Session(domain, make_world(), principal=principal)
    return open_stored_session(domain, arguments.state, arguments.session, make_world, asked, principal=principal)


def _run_http(arguments: argparse.Namespace, domains: Mapping[str, Domain]) -> int:
    from runtime.server.http import HttpServer, HttpSettings, serve_http

    shelf = WorldShelf()
    names = ("seed", "size", "principal")
    defaults = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}

    def open_session(domain: Domain, asked: Mapping[str, Any]) -> Session:
        return open_asked_session(shelf, domain, asked if "task" in asked else {**defaults, **asked})

    token = os.environ.get("WORLDSMITH_ADMIN_TOKEN") or secrets.token_urlsafe(24)
    settings = HttpSettings(
        host=arguments.host,
        port=arguments.port,
        admin_token=token,
        allowed_hosts=tuple(arguments.allow_host),
        most_sessions=arguments.max_sessions,
        idle_seconds=arguments.idle,
        with_policy=arguments.policy,
    )
    server = HttpServer(domains, open_session, settings, lambda domain: _extras(arguments, domain))
    base = f"http://{arguments.host}:{arguments.port}"
    for name in domains:
        print(f"{base}/{name}/mcp", file=sys.stderr)
    if not os.environ.get("WORLDSMITH_ADMIN_TOKEN"):
        print(f"admin token for {base}/sessions: {token}", file=sys.stderr)
    asyncio.run(serve_http(server, settings))
    return 0


def open_asked_session(shelf: WorldShelf, domain: Domain, asked: Mapping[str, Any]) -> Session:
    """The session that a request describes by seed and size, or by task; errors: UsageError, EnvironmentFault."""
    for name in ("seed", "size"):
        if not isinstance(asked.get(name, 0), int) or isinstance(asked.get(name), bool):
            raise UsageError(f"{name} is {asked[name]!r}; it must be a whole number.")
    for name in ("task", "principal"):
        if not isinstance(asked.get(name, ""), str):
            raise UsageError(f"{name} is {asked[name]!r}; it must be text.")
    if "task" in asked:
        if "seed" in asked or "size" in asked:
            raise UsageError("A task has its own world; say task, or seed and size.")
        task = find_task(domain, asked["task"])
        world = shelf.keep(domain, task.id, lambda: start_world(task, domain))
        return Session(domain, world, principal=asked.get("principal", task.principal))
    world = shelf.take(domain, asked.get("seed", DEFAULT_SEED), asked.get("size", DEFAULT_SIZE))
    return Session(domain, world, principal=asked.get("principal"))


def _extras(arguments: argparse.Namespace, domain: Domain) -> Any:
    if not arguments.debug:
        return None
    from runtime.server.debug import Debug
    from runtime.task.desk import TaskDesk

    return Debug(domain, TaskDesk(domain))
