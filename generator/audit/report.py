"""What an audit found as Markdown or as one HTML page."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Iterator, Sequence

from generator.audit.proofs import Finding

_PROOFS = {
    "G1": "the gold replays",
    "G2": "played twice, it ends the same",
    "I1": "doing nothing earns nothing",
    "D1": "every write is needed",
    "N1": "no write puts a value in place of itself",
    "X1": "more than the gold does not pass",
    "O1": "every accepted order of the writes ends the same",
    "L1": "lists that are sets end the same in any order",
    "P1": "what is written can be known",
    "C1": "what must be said can be known",
    "R1": "the gold keeps the rules",
    "V1": "no gold solves another task",
    "A1": "another version has the same gold",
    "OWN": "our own proofs of a task hold",
}


def write_markdown(title: str, tasks: int, found: Sequence[Finding]) -> Iterator[str]:
    """Yield the report a line at a time: a table of proofs, then each finding with its witness."""
    yield f"# Audit of {title}\n\n{tasks:,} tasks, {len(found):,} findings; each can be replayed from its witness.\n\n"
    yield from (f"{each}\n" for each in table_of_proofs(found))
    for each in found:
        yield f"\n## {each.task}: {each.proof}, {each.word}\n\n{each.sentence}\n"
        if each.calls or each.digest or each.gold_digest:
            ends = each.gold_digest or "no change", each.digest or "no change"
            yield f"\nDigest of the gold's end `{ends[0]}`, of this `{ends[1]}`.\n"
        if each.calls:
            yield "\n```json\n"
            for at, (name, given) in enumerate(each.calls):
                yield json.dumps([name, given], ensure_ascii=False) + "\n"
                yield f"  -> {each.answers[at]}\n" if at < len(each.answers) else ""
            yield "```\n"


def table_of_proofs(found: Sequence[Finding]) -> list[str]:
    """Return the lines of a table: proof, word, number of tasks, their ids."""
    lines = ["| proof | what holds otherwise | word | tasks | which |", "| --- | --- | --- | --- | --- |"]
    kinds = Counter((each.proof, each.word) for each in found)
    for (proof, word), _ in sorted(kinds.items()):
        ids = list(dict.fromkeys(each.task for each in found if (each.proof, each.word) == (proof, word)))
        shown = ", ".join(ids[:60]) + (f" and {len(ids) - 60:,} more" if len(ids) > 60 else "")
        lines.append(f"| {proof} | {_PROOFS[proof]} | {word} | {len(ids)} | {shown} |")
    return lines


def write_html(title: str, tasks: int, found: Sequence[Finding]) -> Iterator[str]:
    """Yield one page that opens from disk; whatever the set wrote is text in it."""
    name = html.escape(title)
    yield (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Audit of {name}</title><style>"
        "body{font:16px/1.5 system-ui;max-width:70rem;margin:2rem auto;padding:0 1rem}"
        "table{border-collapse:collapse}td,th{border:1px solid #999;padding:.3rem .6rem;text-align:left}"
        "pre{overflow:auto;background:#f3f3f3;padding:.6rem}</style>"
        f"<h1>Audit of {name}</h1><p>{tasks:,} tasks, {len(found):,} findings.</p><table>"
    )
    for at, line in enumerate(table_of_proofs(found)):
        if at != 1:
            cell = "th" if at == 0 else "td"
            cells = "".join(f"<{cell}>{html.escape(each.strip())}</{cell}>" for each in line.strip("|").split("|"))
            yield f"<tr>{cells}</tr>"
    yield "</table>"
    for each in found:
        yield (
            f"<details><summary><b>{html.escape(each.task)}</b> {each.proof} <i>{each.word}</i>: "
            f"{html.escape(each.sentence)}</summary><p>Digest of the gold's end <code>{each.gold_digest or 'no change'}"
            f"</code>, of this <code>{each.digest or 'no change'}</code>.</p><pre>"
        )
        for place, (tool, given) in enumerate(each.calls):
            said = each.answers[place] if place < len(each.answers) else ""
            yield html.escape(f"{json.dumps([tool, given], ensure_ascii=False)}\n  -> {said}\n")
        yield "</pre></details>"
    yield "</html>\n"
