"""`worldsmith export-env`: write a domain and its tasks as an OpenEnv environment: server, oracle, and our own code."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from string import Template
from typing import Any

from runtime.commands.options import add_tasks_file
from runtime.commands.output import print_result
from runtime.compiling import RULES_FACE, domain_files, import_closure, requirements, write_directory
from runtime.domain.domain import Domain, warn_of_real_rows
from runtime.domain.load import find_domain
from runtime.errors import UsageError
from runtime.task.task import Task
from runtime.task.task_file import task_line
from runtime.wording import counted, printable

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


def add_export_env(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "export-env",
        description="Write a folder that is an OpenEnv environment: openenv.yaml, a server, an oracle, the domain with "
        "its tasks, and the part of worldsmith that plays and judges them. It needs the packages that its "
        "pyproject.toml names, not worldsmith. The folder shows how every task is done.",
    )
    parser.add_argument("format", choices=("openenv",), help="of which framework")
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder to write to, new or empty")
    parser.add_argument("--domain", metavar="NAME", required=True, help="name or path of the domain")
    add_tasks_file(parser)
    parser.add_argument("--user", default="scripted", choices=("scripted", "none"), help="whom the agent talks to")
    parser.add_argument(
        "--policy", action=argparse.BooleanOptionalAction, default=True, help="give the agent the domain's policy"
    )
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the folder, whole or not at all."""
    folder: Path = arguments.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{str(folder)!r} is not an empty folder; move it away, or name another DIR.")
    from runtime.harness.evaluation.plan import TaskChoice, choose_tasks

    domain = find_domain(arguments.domain)
    tasks = [chosen.task for chosen in choose_tasks([domain], TaskChoice(file=arguments.tasks))]
    files = export_openenv(domain, tasks, user=arguments.user, policy=arguments.policy)
    write_directory(folder, files)
    warn_of_real_rows([domain.name] if domain.card.real_rows else [], "the export")
    about = {"folder": folder, "domain": domain.name, "digest": domain.digest, "tasks": len(tasks), "files": len(files)}
    line = f"{folder}: {domain.name} with {counted(len(tasks), 'task')}, {len(files)} files"
    print_result(arguments, about, [line, f"  to serve it: cd {folder} && uvicorn server.app:app --port 8000"])
    return 0


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
