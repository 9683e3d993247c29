"""What an audit found as Markdown or as one HTML page."""

from __future__ import annotations

import html
import json
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
_MOST_IDS = 60  # of a line of a table
_STYLE = """
:root{color-scheme:light dark;--line:light-dark(#d5d9e0,#3a3f47);--soft:light-dark(#f5f6f8,#1d2025)}
body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;
background:light-dark(#fff,#14161a);color:light-dark(#1a1d21,#e4e7eb)}
a{color:light-dark(#0b57d0,#8ab4f8)}h1{font-size:1.6rem}details,td:last-child{overflow-wrap:anywhere}
table{border-collapse:collapse;margin-bottom:1.5rem}
td,th{border-bottom:1px solid var(--line);padding:.4rem .8rem .4rem 0;text-align:left;vertical-align:top}
td:nth-child(2){min-width:12rem}
@media(max-width:40rem){th{display:none}tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}
td{display:inline;border:0}td:last-child{display:block}}
details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0;padding:.4rem .8rem}summary{cursor:pointer}
i{font-style:normal;font-size:.85rem;padding:.05rem .4rem;border-radius:4px;background:light-dark(#e4e7eb,#333941)}
.wrong{background:#c5221f;color:#fff}.unfair,.unstable{background:#9a5b00;color:#fff}
.open{background:#1d5fbf;color:#fff}
li{margin:.5rem 0}samp{display:block;background:var(--soft);padding:.3rem .6rem;border-radius:4px;font-size:.85rem}
samp:empty{display:none}
"""


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
    for proof, word, ids in _by_proof(found):
        shown = ", ".join(ids[:_MOST_IDS]).replace("|", "\\|")
        more = f" and {len(ids) - _MOST_IDS:,} more" if len(ids) > _MOST_IDS else ""
        lines.append(f"| {proof} | {_PROOFS[proof]} | {word} | {len(ids)} | {shown}{more} |")
    return lines


def _by_proof(found: Sequence[Finding]) -> Iterator[tuple[str, str, list[str]]]:
    for proof, word in sorted({(each.proof, each.word) for each in found}):
        yield proof, word, list(dict.fromkeys(each.task for each in found if (each.proof, each.word) == (proof, word)))


def write_html(title: str, tasks: int, found: Sequence[Finding]) -> Iterator[str]:
    """Yield one page that opens from disk; whatever the set wrote is text in it."""
    name = html.escape(title)
    yield (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>Audit of {name}</title><style>{_STYLE}</style><h1>Audit of {name}</h1>"
        f"<p>{tasks:,} tasks, {len(found):,} findings. A finding is a place to look at; open one for its witness: the "
        "calls, what they answered, and the digests of the two ends.</p><table>"
        "<tr><th>Proof<th>What holds otherwise<th>Word<th>Tasks<th>Which"
    )
    first = {(each.task, each.proof): at for at, each in reversed([*enumerate(found)])}
    for proof, word, ids in _by_proof(found):
        links = ", ".join(f"<a href='#f{first[each, proof]}'>{html.escape(each)}</a>" for each in ids)
        yield f"<tr><td>{proof}<td>{_PROOFS[proof]}<td><i class={word}>{word}</i><td>{len(ids)}<td>{links}"
    yield "</table>"
    for at, each in enumerate(found):
        yield (
            f"<details id=f{at}><summary><b>{html.escape(each.task)}</b> {each.proof} <i class={each.word}>{each.word}"
            f"</i> {html.escape(each.sentence)}</summary><p>Digest of the gold's end <code>"
            f"{each.gold_digest or 'no change'}</code>, of this <code>{each.digest or 'no change'}</code>.</p><ol>"
        )
        for place, (tool, given) in enumerate(each.calls):
            said = html.escape(each.answers[place]) if place < len(each.answers) else ""
            call = html.escape(json.dumps(given, ensure_ascii=False))
            yield f"<li><code><b>{html.escape(tool)}</b> {call}</code><samp>{said}</samp>"
        yield "</ol></details>"
    yield "<script>onhashchange=()=>{const f=document.querySelector(location.hash);if(f)f.open=true}</script></html>\n"
