"""`worldsmith export`: write a run for trainers, a task's world, or a domain as an OpenEnv environment."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from runtime.commands.options import JSON, TASKS, command, group, option, path_option, policy, reward, text_option
from runtime.commands.output import Result, check_output, write_output
from runtime.compiling import RULES_FACE, domain_files, import_closure, requirements, write_place
from runtime.domain.domain import Domain, refuse_unverified, warn_of_real_rows
from runtime.domain.load import find_folder, load_domain
from runtime.errors import UsageError
from runtime.task.task import Task, start_world, write_world
from runtime.task.task_file import find_task, task_line
from runtime.wording import counted, printable

if TYPE_CHECKING:
    from runtime.harness.export import ExportCounts

ENTRY = "worldsmith.openenv"
OPENENV = "openenv>=0.10,<0.11"
_SESSIONS = 64  # at once
_FOLDER = Path(__file__).with_name("openenv_folder")  # its files, `+` for a folder, with $values to fill in


@command(
    "export",
    "Write a run for trainers, as JSON Lines: messages, one line per episode, in the OpenAI format; sft, the episodes "
    "of reward 1 as prompt and completion; rl, one line per task with its trials, their rewards and advantages. Or "
    "write a domain: openenv, a folder that is an OpenEnv environment, with a server, an oracle, the domain with its "
    "tasks, and the part of worldsmith that plays and judges them; it shows how every task is done. Or world: the "
    "database that a task starts from, to play it on any server of the domain with --world. Exit 1: nothing to write.",
    option("source", metavar="STORE|DOMAIN", help="a run store, or the name or path of a domain"),
    option("--format", choices=("messages", "sft", "rl", "openenv", "world"), required=True, help="what is written"),
    path_option("--out", "FILE|DIR", "where to; lines go to stdout without it"),
    JSON,
    group("of a run", reward(None)),
    group(
        "of a domain",
        TASKS,
        text_option("--task", "ID", "the task whose world it is"),
        option("--user", default="scripted", choices=("scripted", "none"), help="whom the agent of OpenEnv talks to"),
        policy("give the agent the domain's policy"),
    ),
)
def export(arguments: argparse.Namespace) -> int | Result:
    """Write what is asked for and say how much; 1 if there is nothing."""
    out: Path | None = arguments.out
    if arguments.format in _OF_DOMAINS:
        if out is None:
            raise UsageError(f"--format {arguments.format} writes files; give --out.")
        return _OF_DOMAINS[arguments.format](arguments, load_domain(find_folder(arguments.source)), out)
    if arguments.json and out is None:
        raise UsageError("--json goes with --out; without it stdout holds the lines")
    return _export_run(arguments, out)


def _export_run(arguments: argparse.Namespace, out: Path | None) -> int | Result:
    from runtime.harness.evaluation.store import read_run
    from runtime.harness.export import ExportCounts, episode_lines, group_lines, line, sft_lines

    if out is not None:
        check_output(out)
    run = read_run(Path(arguments.source))
    for each in run.domains.values():
        refuse_unverified(each.name, each.unverified, "exported")
    warn_of_real_rows([each.name for each in run.domains.values() if each.real_rows], "the export")
    counts = ExportCounts()
    write = {"messages": episode_lines, "sft": sft_lines, "rl": group_lines}[arguments.format]
    lines = map(line, write(run, counts, arguments.reward))
    if out is None:
        sys.stdout.writelines(lines)
        print(_summary(counts), file=sys.stderr)
        return 0 if counts.lines else 1
    first = next(lines, None)
    if first is not None:
        write_output(out, chain([first], lines))
    left_out = dict(sorted(counts.left_out.items()))
    content = {"lines": counts.lines, "episodes": counts.episodes, "left_out": left_out}
    return Result({"format": arguments.format, "file": out, **content}, [_summary(counts)], 0 if counts.lines else 1)


def _summary(counts: ExportCounts) -> str:
    said = f"{counted(counts.lines, 'line')} of {counted(counts.episodes, 'episode')}"
    if not counts.lines:
        said = f"nothing was written: 0 of {counted(sum(counts.left_out.values()), 'episode')}"
    if counts.left_out:
        said += "; left out: " + ", ".join(f"{count} {why}" for why, count in sorted(counts.left_out.items()))
    return said


def _export_world(arguments: argparse.Namespace, domain: Domain, path: Path) -> Result:
    refuse_unverified(domain.name, domain.card.unverified, "exported")
    if not arguments.task:
        raise UsageError("--format world writes the world of a task; name it with --task ID.")
    world = start_world(find_task(domain, arguments.task, arguments.tasks), domain)
    write_world(world, path)
    told = {"task": arguments.task, "file": path, "bytes": len(world.image), "digest": f"{world.digest:032x}"}
    size = f"{len(world.image) / 1024:.0f} KiB"
    return Result(told, [f"{path}: the world of task {arguments.task!r}, {size}, digest {told['digest']}"])


def _export_openenv(arguments: argparse.Namespace, domain: Domain, folder: Path) -> Result:
    """Write the folder, whole or not at all."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{str(folder)!r} is not an empty folder; move it away, or name another with --out.")
    from runtime.harness.evaluation.plan import TaskChoice, choose_tasks

    if arguments.policy == "handbook":
        raise UsageError("An OpenEnv folder has no other domains for a handbook; export it with --policy prompt.")
    tasks = [chosen.task for chosen in choose_tasks([domain], TaskChoice(file=arguments.tasks))]
    files = export_openenv(domain, tasks, user=arguments.user, policy=bool(arguments.policy))
    write_place(folder, files)
    warn_of_real_rows([domain.name] if domain.card.real_rows else [], "the export")
    about = {"folder": folder, "domain": domain.name, "digest": domain.digest, "tasks": len(tasks), "files": len(files)}
    line = f"{folder}: {domain.name} with {counted(len(tasks), 'task')}, {len(files)} files"
    return Result(about, [line, f"  to serve it: cd {folder} && uvicorn server.app:app --port 8000"])


_OF_DOMAINS = {"openenv": _export_openenv, "world": _export_world}


def export_openenv(domain: Domain, tasks: Sequence[Task], *, user: str, policy: bool) -> dict[str, bytes]:
    """Return the files of the folder by path; the same domain and tasks give the same bytes."""
    files = {f"domain/{name}": content for name, content in domain_files(domain).items()}
    files["domain/tasks.jsonl"] = "".join(f"{task_line(task)}\n" for task in tasks).encode()
    for name, path in (import_closure(ENTRY, ("runtime", "worldsmith")) | import_closure(RULES_FACE)).items():
        files[name] = path.read_bytes().replace(b"\r\n", b"\n")
    texts = _texts(domain, tasks, user, policy)
    return dict(sorted({**files, **{name: text.encode() for name, text in texts.items()}}.items()))


def _texts(domain: Domain, tasks: Sequence[Task], user: str, policy: bool) -> Mapping[str, str]:
    splits, needed = Counter(task.split for task in tasks), (OPENENV, *requirements(("pydantic",)))
    values = {
        "name": domain.name,
        "environment": f"worldsmith_{domain.name}",
        "distribution": f"worldsmith-{domain.name.replace('_', '-')}-openenv",
        "version": domain.card.version if re.fullmatch(r"\d+(\.\d+)*", domain.card.version) else "0",
        "user": repr(user),
        "policy": repr(policy),
        "sessions": _SESSIONS,
        "counts": json.dumps(dict(sorted(splits.items(), reverse=True))),
        "digest": domain.digest[:16],
        "title": json.dumps(printable(domain.card.title)),
        "heading": printable(domain.card.title),
        "summary": printable(domain.card.summary),
        "tools": len(domain.tools),
        "tasks": len(tasks),
        "worldsmith": version("worldsmith"),
        "dependencies": ", ".join(f'"{each}"' for each in needed),
        "packages": " ".join(f'"{each}"' for each in needed),
    }
    texts = {path.stem.replace("+", "/"): path.read_text(encoding="utf-8") for path in sorted(_FOLDER.glob("*.txt"))}
    return {"server/__init__.py": ""} | {name: Template(text).substitute(values) for name, text in texts.items()}
