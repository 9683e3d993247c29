"""`worldsmith serve` and `worldsmith compile`: offer domains over stdio or HTTP, or write standalone servers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from runtime.commands.options import DOMAINS, JSON, TASKS, command, flag, option, path_option, policy, text_option
from runtime.commands.output import Result
from runtime.domain.domain import Domain, warn_of_real_rows
from runtime.domain.handbook import with_handbook
from runtime.domain.load import find_domain, find_folder, load_domain
from runtime.errors import UsageError
from runtime.harness.poison import poison_task, read_poison_plan
from runtime.server import launch
from runtime.session.hybrid import start_session
from runtime.session.session import Session
from runtime.session.world import World, WorldCache
from runtime.task.handbook import handbook_for
from runtime.task.task import start_world
from runtime.task.task_file import find_task
from runtime.wording import counted


def _world_of_a_task(parser: Any) -> None:
    """Add the options of a world, and those of a task's."""
    world = launch.add_world_options(parser)
    text_option("--task", "ID", "the world of a task")(world)
    TASKS(world)


SESSION = (
    _world_of_a_task,
    launch.add_state_options,
    policy("state the domain's policy in the server's instructions"),
    flag("--strict", "refuse calls that the domain's rules forbid"),
)
"""The options of a served session, which `install` passes on."""


@command(
    "serve",
    "Serve a domain over stdio (one process, one session), or domains over streamable HTTP.",
    option("domain", nargs="+", help="name or path of a domain; several only with --http"),
    *SESSION,
    launch.add_http_options,
    launch.add_fault_options,
    text_option(
        "--poison", "PLAN", "texts in a task's rows that ask the agent for something else: none, mild, or a .toml file"
    ),
    flag("--debug", "add tools for people: start a task, show changes, verify, fork, reset"),
)
def serve(arguments: argparse.Namespace) -> int:
    """Serve until the client leaves or the process is told to stop."""
    domains: dict[str, Domain] = {domain.name: domain for domain in map(find_domain, arguments.domain)}
    if arguments.policy == "handbook":
        domains = {name: _searched(domain, arguments) for name, domain in domains.items()}
    arguments.policy = bool(arguments.policy)
    if not arguments.http and len(arguments.domain) > 1:
        raise UsageError("stdio serves one domain; add --http to serve several")
    if len(domains) < len(arguments.domain):
        raise UsageError("a domain is named twice")
    launch.check_options(arguments, arguments.task)
    poison = read_poison_plan(arguments.poison)
    if poison is not None and not (arguments.http or arguments.task or arguments.debug):
        raise UsageError("--poison is for the rows of a task's world; name one with --task ID.")
    for domain in domains.values():
        launch.check_strict(arguments, domain)
    if arguments.http:
        return launch.run_http(
            arguments,
            domains,
            partial(open_asked_session, tasks=arguments.tasks, strict=arguments.strict, poison=arguments.poison),
            lambda domain: _extras(arguments, domain),
        )
    domain = next(iter(domains.values()))
    session = launch.open_session(arguments, domain, _task_of(arguments, domain))
    return launch.run_stdio(arguments, session, _extras(arguments, domain))


def _searched(domain: Domain, arguments: argparse.Namespace) -> Domain:
    """Return a domain with its policy in a handbook, whose figures concern the task if one is served."""
    if arguments.task is None:
        return with_handbook(domain)
    task = find_task(domain, arguments.task, arguments.tasks)
    return handbook_for(domain, task, start_world(task, domain))


def _task_of(arguments: argparse.Namespace, domain: Domain) -> tuple[str, Callable[[], World]] | None:
    if arguments.task is None:
        return None
    task = poison_task(find_task(domain, arguments.task, arguments.tasks), domain, arguments.poison)
    return task.id, lambda: start_world(task, domain)


def open_asked_session(
    worlds: WorldCache,
    domain: Domain,
    asked: Mapping[str, Any],
    tasks: Path | None = None,
    *,
    strict: bool = False,
    poison: str | None = None,
) -> Session:
    """Open the session that a request describes by seed and size, or by task; errors: UsageError, EnvironmentFault."""
    if "task" not in asked:
        return launch.open_asked_world(worlds, domain, asked, strict=strict)
    if "seed" in asked or "size" in asked:
        raise UsageError("A task has its own world; say task, or seed and size.")
    task = find_task(domain, asked["task"], tasks)
    world = worlds.keep(domain, task.id, lambda: start_world(poison_task(task, domain, poison), domain))
    return start_session(domain, world, strict=strict)


def _extras(arguments: argparse.Namespace, domain: Domain) -> Any:
    if not arguments.debug:
        return None
    from runtime.server.debug import Debug
    from runtime.task.playable import PlayableTasks

    prepare = partial(poison_task, given=arguments.poison)
    return Debug(domain, PlayableTasks(domain, arguments.tasks, strict=arguments.strict, prepare=prepare))


@command(
    "compile",
    "Write DIR/NAME/ with a server.py that runs without worldsmith, and DIR/NAME.mcpb with the same for desktop "
    "clients. Neither holds a task, a case or an answer.",
    DOMAINS,
    path_option("--out", "DIR", "folder to write to", required=True),
    JSON,
)
def compile_domains(arguments: argparse.Namespace) -> Result:
    """Write every server, or none if one of the places is taken or a domain is still a draft."""
    from runtime.commands.progress import Progress
    from runtime.compiling import check_place, compile_domain, make_bundle, write_place

    domains = [load_domain(find_folder(name)) for name in arguments.domain]
    if len({domain.name for domain in domains}) < len(domains):
        raise UsageError("a domain is named twice")
    for domain in domains:
        for path in (arguments.out / domain.name, arguments.out / f"{domain.name}.mcpb"):
            check_place(path)
    rows: list[dict[str, Any]] = []
    lines: list[str] = []
    with Progress("compiling", len(domains)) as progress:
        for domain, files in [(domain, compile_domain(domain)) for domain in domains]:
            bundle, name, version = make_bundle(domain, files), domain.name, domain.card.version
            directory, bundle_file = arguments.out / name, arguments.out / f"{name}.mcpb"
            write_place(directory, files)
            write_place(bundle_file, bundle)
            size = sum(map(len, files.values()))
            row = {"domain": name, "version": version, "digest": domain.digest, "directory": directory}
            row |= {"files": len(files), "bytes": size, "bundle": bundle_file, "bundle_bytes": len(bundle)}
            rows.append(row)
            lines.append(f"{name} {version} (digest {domain.digest[:12]})")
            lines.append(f"  {directory}: {counted(len(files), 'file')}, {size / 1024:.0f} KiB")
            lines.append(f"  {bundle_file}: {len(bundle) / 1024:.0f} KiB")
            progress.advance()
    warn_of_real_rows([each.name for each in domains if each.card.real_rows], "what was compiled")
    return Result({"compiled": rows}, lines)
