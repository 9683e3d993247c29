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

from runtime.commands.options import JSON, POLICY, TASKS, command, group, option, reward
from runtime.commands.output import Result, check_output, write_output
from runtime.compiling import RULES_FACE, domain_files, import_closure, requirements, write_place
from runtime.domain.domain import Domain, warn_of_real_rows
from runtime.domain.load import find_domain
from runtime.errors import UsageError
from runtime.task.task import Task, start_world, write_world
from runtime.task.task_file import find_task, task_line
from runtime.wording import counted, printable

if TYPE_CHECKING:
    from runtime.harness.export import ExportCounts

ENTRY = "worldsmith.openenv"
OPENENV = "openenv>=0.10,<0.11"
_SESSIONS = 64  # at once

_APP = Template('''\
"""The server: `uvicorn server.app:app` in this folder, or `python -m server.app`."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FOLDER))

from openenv.core.env_server.http_server import create_app  # noqa: E402

from worldsmith import tasks  # noqa: E402
from worldsmith.openenv import DomainEnvironment, WorldsmithAction, WorldsmithObservation  # noqa: E402

TASKS = tasks(FOLDER / "domain")
SESSIONS = $sessions  # at once, each over a WebSocket with an environment of its own


class Environment(DomainEnvironment):
    """The tasks of $name."""

    def __init__(self):
        super().__init__(TASKS, user=$user, policy=$policy)


app = create_app(
    Environment, WorldsmithAction, WorldsmithObservation, env_name="$environment", max_concurrent_envs=SESSIONS
)


def main(host="0.0.0.0", port=8000):
    """Serve until stopped."""
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
''')

_ORACLE = Template('''\
"""The oracle: plays every task by its own chain; exit status 1 unless each is rewarded."""

import sys

from server.app import TASKS

from worldsmith import evaluate

if __name__ == "__main__":
    played = evaluate(TASKS, "reference", user=$user, policy=$policy).trials
    for trial in played:
        print(trial.task.id, float(trial.verdict.reward) if trial.verdict else trial.why)
    sys.exit(not all(trial.verdict and trial.verdict.reward for trial in played))
''')

_MANIFEST = Template("""\
spec_version: 1
name: $environment
version: $version
type: space
runtime: fastapi
app: server.app:app
port: 8000
validation:
  reward: {range: [0.0, 1.0], oracle_tolerance: 0.0, floor_margin: 1.0}
  resources: {cpu: 1.0, memory_mb: 1024, disk_mb: 2048, episode_timeout_s: 600.0}
  capabilities:
    verifier: {kind: reward_channel}
    oracle: {form: script, location: oracle.py}
    task_api: true
    declared_task_count: $counts
  task_distribution: {dataset_version: "$digest"}
  types: {tags: [tool-use, multi-turn, worldsmith]}
""")

_PROJECT = Template("""\
[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "$distribution"
version = "$version"
description = "An OpenEnv environment: a world of tools behind a simulated user"
requires-python = ">=3.11"
dependencies = $dependencies

[project.scripts]
server = "server.app:main"

[tool.setuptools]
packages = ["server"]
""")

_DOCKERFILE = Template("""\
FROM python:3.12-slim
WORKDIR /app
RUN pip install --no-cache-dir $dependencies
COPY . /app
USER nobody
EXPOSE 8000
CMD ["uvicorn", "server.app:app", "--host", "0.0.0.0", "--port", "8000"]
""")

_README = Template("""\
---
title: $title
sdk: docker
app_port: 8000
tags: [openenv, worldsmith]
---

# $heading

$summary

An OpenEnv environment of $tools tools and $tasks tasks, exported by worldsmith $worldsmith (Apache License 2.0). An
action is an assistant message; an observation holds the `messages` that answer it, the first also the `tools`, the last
`reward`, `progress` and `differences`. `reset(task=ID)`, `reset(split="train", index=0)` or `reset(seed=7)` chooses a
task. `uvicorn server.app:app --port 8000` serves it; `python oracle.py` plays every task by its own chain.
""")


@command(
    "export",
    "Write a run for trainers, as JSON Lines: messages, one line per episode, in the OpenAI format; sft, the episodes "
    "of reward 1 as prompt and completion; rl, one line per task with its trials, their rewards and advantages. Or "
    "write a domain: openenv, a folder that is an OpenEnv environment, with a server, an oracle, the domain with its "
    "tasks, and the part of worldsmith that plays and judges them; it shows how every task is done. Or world: the "
    "database that a task starts from, to play it on any server of the domain with --world. Exit 1: nothing to write.",
    option("source", metavar="STORE|DOMAIN", help="a run store, or the name or path of a domain"),
    option("--format", choices=("messages", "sft", "rl", "openenv", "world"), required=True, help="what is written"),
    option("--out", type=Path, metavar="FILE|DIR", help="where to; lines go to stdout without it"),
    JSON,
    group("of a run", reward(None)),
    group(
        "of a domain",
        TASKS,
        option("--task", metavar="ID", help="the task whose world it is"),
        option("--user", default="scripted", choices=("scripted", "none"), help="whom the agent of OpenEnv talks to"),
        POLICY,
    ),
)
def export(arguments: argparse.Namespace) -> int | Result:
    """Write what is asked for and say how much; 1 if there is nothing."""
    out: Path | None = arguments.out
    if arguments.format in _OF_DOMAINS:
        if out is None:
            raise UsageError(f"--format {arguments.format} writes files; give --out.")
        return _OF_DOMAINS[arguments.format](arguments, find_domain(arguments.source), out)
    if arguments.json and out is None:
        raise UsageError("--json goes with --out; without it stdout holds the lines")
    return _export_run(arguments, out)


def _export_run(arguments: argparse.Namespace, out: Path | None) -> int | Result:
    from runtime.harness.evaluation.store import read_run
    from runtime.harness.export import ExportCounts, episode_lines, group_lines, line, sft_lines

    if out is not None:
        check_output(out)
    run = read_run(Path(arguments.source))
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

    tasks = [chosen.task for chosen in choose_tasks([domain], TaskChoice(file=arguments.tasks))]
    files = export_openenv(domain, tasks, user=arguments.user, policy=arguments.policy)
    write_place(folder, files)
    warn_of_real_rows([domain.name] if domain.card.real_rows else [], "the export")
    about = {"folder": folder, "domain": domain.name, "digest": domain.digest, "tasks": len(tasks), "files": len(files)}
    line = f"{folder}: {domain.name} with {counted(len(tasks), 'task')}, {len(files)} files"
    return Result(about, [line, f"  to serve it: cd {folder} && uvicorn server.app:app --port 8000"])


_OF_DOMAINS = {"openenv": _export_openenv, "world": _export_world}


def export_openenv(domain: Domain, tasks: Sequence[Task], *, user: str, policy: bool) -> dict[str, bytes]:
    """The files of the folder by path; the same domain and tasks give the same bytes."""
    files = {f"domain/{name}": content for name, content in domain_files(domain).items()}
    files["domain/tasks.jsonl"] = "".join(f"{task_line(task)}\n" for task in tasks).encode()
    for name, path in (import_closure(ENTRY, ("runtime", "worldsmith")) | import_closure(RULES_FACE)).items():
        files[name] = path.read_bytes().replace(b"\r\n", b"\n")
    texts = _texts(domain, tasks, user, policy)
    return dict(sorted({**files, **{name: text.encode() for name, text in texts.items()}}.items()))


def _texts(domain: Domain, tasks: Sequence[Task], user: str, policy: bool) -> Mapping[str, str]:
    splits = Counter(task.split for task in tasks)
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
    }
    quoted = ", ".join(f'"{each}"' for each in (OPENENV, *requirements(("pydantic",))))
    return {
        "server/__init__.py": "",
        "server/app.py": _APP.substitute(values),
        "server/Dockerfile": _DOCKERFILE.substitute(dependencies=quoted.replace(", ", " ")),
        "oracle.py": _ORACLE.substitute(values),
        "openenv.yaml": _MANIFEST.substitute(values),
        "pyproject.toml": _PROJECT.substitute(values, dependencies=f"[{quoted}]"),
        "README.md": _README.substitute(values),
    }
