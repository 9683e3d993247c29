"""`worldsmith twin`: make a proven domain from a database, a SQL text, an OpenAPI document or an MCP server."""

from __future__ import annotations

import argparse
import asyncio
import re
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.commands.new import ANSWERS, build_order, model_options
from runtime.commands.options import JSON, command, flag, group, int_option, one_of, option, path_option, text_option
from runtime.commands.output import Result
from runtime.commands.progress import Progress
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.wording import counted, said_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from generator.twin.make import WrittenTwin
    from generator.twin.source import SourceSchema, TwinSource

_KINDS = (
    "a SQL text (.sql), a SQLite file, the address of a database (postgresql://, mysql://, mariadb://, sqlite:///), an "
    "OpenAPI document (.json, .yaml, an address), or mcp:COMMAND, mcp:ADDRESS"
)
_SERVERS = re.compile(r"(?!https?:)[a-z][a-z0-9+]*://")
_LONGEST_LOSS = 240  # characters of a kind of loss
_NAMED = 4  # operations of a reason that the terminal shows; the README has all


@command(
    "twin",
    "Make a domain of a process that you have, without a model: tools, a world that grows the given rows to any size, "
    "cases, a graph, and proven tasks. Whatever could not be carried over is listed.",
    option("source", help=_KINDS),
    text_option("--name", "NAME", "name of the domain (default: that of the source)"),
    path_option("--out", "DIR", "the domain's folder (default domains/NAME)"),
    text_option("--tables", "A,B", "only these tables, and those that they reference", ""),
    int_option("--rows", said="most rows of a table (default 2,000), and those they refer to", within=(1, 10_000_000)),
    text_option("--dialect", "D", "of a SQL text: postgres, mysql or sqlite (default: guessed)"),
    text_option("--keep-secrets", "A.B,C.D", "keep the given values of these columns, which look secret", ""),
    flag("--synthetic", "invent all rows, by column name and type"),
    one_of(
        text_option("--diff", "DOMAIN", "say what is different in the source since this twin was made of it"),
        text_option("--update", "DOMAIN", "make this twin anew, and keep what a person has added and still holds"),
    ),
    JSON,
    group("a twin that a model designs, with callers, rules and richer tasks", *model_options("by the source")),
)
def twin(arguments: argparse.Namespace) -> Result:
    """Read the source, write the folder, say what is lost, and end as `check` does."""
    from generator.commands.check import check_rest
    from generator.commands.place import building_beside
    from generator.gates.past.history import prove_past
    from generator.gates.worth import find_worth
    from generator.graph.find import recheck_graph
    from generator.scenarios.lint import prove_scenarios
    from generator.scenarios.trial import measure_guesses
    from generator.tasks.proofs.recheck import recheck_tasks
    from generator.twin.drift import record_of
    from generator.twin.make import GIVEN, write_twin
    from generator.twin.parts import OPTIONS, write_record

    if arguments.diff or arguments.update:
        from generator.commands.twin_drift import compare_twin

        return compare_twin(arguments, read_and_settle)
    if arguments.model:
        return _run_with_model(arguments)
    started = time.monotonic()
    name, folder = _place_of(arguments)
    with Progress(f"making {name}") as progress:
        progress.tell(f"reading {_shown(arguments.source)}")
        options = {name: getattr(arguments, name) for name in OPTIONS}
        source, settled = read_and_settle(arguments.source, options)
        record = record_of(source, settled)
        real_rows = source.real_rows and any(table.rows for table in settled.tables.values())
        with building_beside(folder) as building:
            new = building / name
            new.mkdir()
            written = write_twin(settled, new, name, source.origin, real_rows=real_rows, say=progress.tell)
            progress.tell("running the gates of check")
            report = check_rest(
                new, (prove_past, find_worth, recheck_tasks, prove_scenarios, measure_guesses, recheck_graph)
            )
            write_record(new, name, record, options, vars(written))
            new.rename(folder)
    seconds = round(time.monotonic() - started, 1)
    shown = name if arguments.out is None else str(folder)
    lines = [
        f"Read {source.origin}: {_rows_said(written)}.",
        f"{folder}: {written.summary}",
        f"Made and proven in {said_seconds(seconds)}.",
    ]
    if real_rows:
        lines.append(
            "Its worlds grow from the given rows, which may describe real people; use --synthetic for made-up rows."
        )
        lines.append(f"The given rows alone: `worldsmith serve {shown} --world {folder / GIVEN}`.")
    lines += ["", "What the source has and the twin lacks:", *_losses_said(written.losses)]
    if written.opened:
        lines += ["", "Left open, so no tools:", *_opened_said(written.opened)]
    lines += [""]
    if report.passed:
        lines.append(f"It has no rules, so nothing is denied: `worldsmith rule {shown}` writes the first.")
        lines.append(f"Next: `worldsmith serve {shown}` serves it, `worldsmith check {shown}` proves it again.")
    else:
        failed = [gate for gate, found in report.gates.items() if found.faults or found.stopped]
        lines += [
            f"{name}: FAILED at {', '.join(failed)}",
            *(f"  {each}" for each in report.named("faults", "stopped")),
        ]
    content = {"domain": name, "folder": str(folder), "source": source.origin, "real_rows": real_rows}
    content |= vars(written) | {"seconds": seconds, "ok": report.passed, "faults": report.faults}
    return Result(content, lines, 0 if report.passed else 1)


def _rows_said(written: WrittenTwin) -> str:
    rows = written.account.get("rows", {}).values()
    given, kept = (sum(each[name] for each in rows) for name in ("given", "kept"))
    of_rows = f"all {counted(given, 'row')} kept" if given == kept else f"{kept:,} of {counted(given, 'row')} kept"
    return f"{counted(written.tables, 'table')}, {of_rows if given else 'no rows'}"


def _losses_said(losses: Sequence[str]) -> Iterator[str]:
    """Yield a line for each kind of loss, with its beginning where it is long; the README has all."""
    for each in losses or ["nothing"]:
        shown = textwrap.shorten(each, _LONGEST_LOSS, placeholder=" ...")
        yield f"  - {shown}"
    if any(len(each) > _LONGEST_LOSS for each in losses):
        yield "  README.md lists each in full."


def _opened_said(opened: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield what stays open by its reason, a few of each named."""
    for why, names in opened.items():
        more = f", and {len(names) - _NAMED} more" if len(names) > _NAMED + 1 else ""
        named = names if not more else names[:_NAMED]
        yield f"  - {why}: {', '.join(named)}{more}"


def _run_with_model(arguments: argparse.Namespace) -> Result:
    """Have a model design the twin after a document about the source, with what the source fixes kept by a gate."""
    from generator.author.design import BuildOrder
    from generator.twin.forge import FILE, LACKS, READ, appendix, count_tools, kept_of, losses_of, source_of
    from generator.twin.schema import settle

    name, folder = _place_of(arguments)
    source = read_source(arguments.source, arguments.dialect, arguments.rows, needs_tools=False)
    settled = settle(source, _listed(arguments.tables), synthetic=arguments.synthetic)
    kept, document = kept_of(settled, source.origin), source_of(settled, source.origin)
    order = BuildOrder(settled.title, name, arguments.tools or count_tools(settled, kept), [document], kept=kept)
    with Progress(f"building {name}") as progress:
        asyncio.run(build_order(order, folder, arguments, progress))
    (folder / FILE).write_text(document.text, encoding="utf-8")
    losses, read, readme = [*losses_of(settled, load_domain(folder).schema)], settled.losses, folder / "README.md"
    readme.write_text(f"{readme.read_text(encoding='utf-8')}\n{appendix(losses, read)}\n", encoding="utf-8")
    lines = [
        f"{folder}: a twin of {source.origin}",
        "",
        f"{LACKS}:",
        *(f"  - {each}" for each in losses or ["nothing"]),
    ]
    lines += ["", f"{READ}:", *(f"  - {each}" for each in read)] if read else []
    content = {"domain": name, "folder": str(folder), "source": source.origin, "losses": losses, "read": read}
    return Result(content, lines)


def _place_of(arguments: argparse.Namespace) -> tuple[str, Path]:
    """The domain's name and folder, which is not there yet, or has a model's answers; errors: UsageError."""
    name = arguments.name or _name_of(arguments.source)
    folder: Path = arguments.out or Path("domains") / name
    if re.fullmatch(r"[a-z][a-z0-9_]{0,40}", name) is None:
        raise UsageError(f"A domain cannot be named {name!r}; write --name with lower-case letters, digits and _.")
    is_begun = arguments.model and (folder / ANSWERS).exists()
    if (folder.exists() or folder.is_symlink()) and not is_begun:
        raise UsageError(f"{str(folder)!r} is there already; choose another --name or --out.")
    return name, folder


def read_and_settle(named: str, options: Mapping[str, Any]) -> tuple[TwinSource, SourceSchema]:
    """Read a source and make of it what a domain can have; errors: UsageError."""
    from generator.twin.schema import settle

    source = read_source(named, options["dialect"], options["rows"])
    taken, chosen = _listed(options["keep_secrets"]), _listed(options["tables"])
    return source, settle(source, chosen, synthetic=options["synthetic"], taken=taken)


def _listed(names: str) -> list[str]:
    return [each.strip() for each in names.split(",") if each.strip()]


def read_source(
    source: str, dialect: str | None = None, most: int | None = None, *, needs_tools: bool = True
) -> TwinSource:
    """Read whatever a person names, with at most so many rows of a table; errors: UsageError in one sentence.

    `needs_tools` is false where a model designs the tools of an API or a server.
    """
    from generator.twin.rows import MOST_ROWS

    if source.startswith("mcp:"):
        from generator.twin.mcp import read_mcp

        return read_mcp(source.removeprefix("mcp:").strip(), needs_tools=needs_tools)
    source = source.removeprefix("sqlite:///")
    if _SERVERS.match(source):
        from generator.twin.database import read_server

        return read_server(source, most or MOST_ROWS)
    path = Path(source)
    is_address = source.startswith(("http://", "https://"))
    if not is_address and not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise UsageError(f"{source!r} {what}; give {_KINDS}.")
    if is_address or path.suffix.lower() in (".json", ".yaml", ".yml"):
        from generator.twin.document import Document
        from generator.twin.openapi import read_openapi

        return read_openapi(Document(source), path.name, needs_tools=needs_tools)
    from generator.twin.database import read_database

    return read_database(path, dialect, most or MOST_ROWS)


def _shown(source: str) -> str:
    """Return a source without what stands between its kind and its host, such as a password."""
    return re.sub(r"(?<=://).*@|\?.*", "", source) if _SERVERS.match(source) else source


def _name_of(source: str) -> str:
    """Return the name of a domain that follows from that of its source."""
    source = _shown(source)
    last = re.split(r"[/\\]", source.removeprefix("mcp:").split("?")[0].strip("/ "))[-1].split()[-1:]
    stem = re.sub(r"(\.(sql|sqlite3?|db3?|json|ya?ml))+$", "", "".join(last), flags=re.IGNORECASE)
    plain = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", stem).lower()).strip("_")
    return (plain if plain[:1].isalpha() else f"twin_{plain}".rstrip("_"))[:40].rstrip("_")
