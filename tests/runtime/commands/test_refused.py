"""What cannot be done is one line, exit status 2, and nothing written; a typo lists the choices."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.conftest import LIBRARY, Cli
from tests.making import write_domain

EVAL = "eval library --agent reference --user none"
REFUSED = [
    ("show libary", "no domain 'libary'; have: library"),
    ("show library --tool cancel_hodl", "No tool 'cancel_hodl' exists;"),
    ("show library --task x", "Domain 'library' has no task 'x'; have:"),
    ("show small --graph", "has no graph.json; `worldsmith check small --write-graph` finds it"),
    ("show small --policy-text", "Domain 'small' has no rules.py that a policy could be made of."),
    ("serve library small", "stdio serves one domain; add --http"),
    ("serve library --session x", "--session names a session in a folder"),
    ("serve library --task keep-a-book --seed 3", "pass one of"),
    ("serve library --task x", "has no task 'x'; have: keep-a-book"),
    ("serve library --http --port 99999", "--port is 99999"),
    ("serve library --http --allow-host http://a", "--allow-host is 'http://a'"),
    ("serve library --http --host no.such.host.invalid", "cannot listen on"),
    ("compile library LIBRARY --out out", "a domain is named twice"),
    ("compile library --out small/domain.json", "'small/domain.json/library' cannot be written"),
    ("install libary --client cursor", "no domain 'libary'; have: library"),
    ("install library --client cursor --session x", "--session names a session in a folder"),
    ("install library --client cursor --config no/x.json", "there is no folder"),
    (f"{EVAL} --task keep-a-boat", "Task 'keep-a-boat' cannot be chosen; have: keep-a-book."),
    (f"{EVAL} --task keep-a-book --level 3", "--task names the tasks; leave out -n, --split and --level, "),
    (f"{EVAL} --level 7", "--level is '7'; give levels from 1 to 6 with commas between."),
    (f"{EVAL} --agent genius", "no agent 'genius'; have: reference, idle, random, parrot, claimer, "),
    (f"{EVAL} --user nobody", "o user 'nobody'; have: scripted, "),
    (f"{EVAL} --engine cloud", "no engine 'cloud'; have: local, ray[:ADDRESS]"),
    (f"{EVAL} --trials 0", "--trials is 0; it is a number from 1 to 1,000."),
    (f"{EVAL} --max-seconds nan", "--max-seconds is nan; "),
    (f"{EVAL} --max-cost 0", "--max-cost is 0; it is a number above 0."),
    (
        f"{EVAL} --max-cost 5 --agent anthropic:claude-unheard-of",
        "anthropic:claude-unheard-of has no list price; give --price claude-unheard-of=IN,OUT.",
    ),
    (f"{EVAL} --max-cost 5 --agent command:x", "does not work with command:x, whose spending is unknown;"),
    (f"{EVAL} --price my-model=1,2", "--price names 'my-model', which neither agent nor user is; have: none."),
    (f"{EVAL} --store small", "is a folder, not a run store."),
    (
        "eval library job_seeking --agent reference --rates",
        "--rates records the rates of one domain; name one, without --suite.",
    ),
    ("eval --agent idle", "No domain was named; name some, or give --suite FILE."),
    ("eval library", "No agent was named; give --agent A, with reference, "),
    ("eval nowhere --suite small --agent idle", "The suite 'small' has no domain 'nowhere'; have: "),
    ("eval --suite small --task a --agent idle", "--suite names the tasks; leave out --task and --tasks"),
    ("eval --suite small -n 0 --agent idle", "-n is 0; it is a number from 1"),
    ("compare none.db none.db", "There is no run store 'none.db'; `worldsmith eval` writes one."),
    ("rescore small", "There is no run store 'small'; "),
    ("export none.db --format rl --json", "--json goes with --out"),
    ("export none.db --format rl --out no/out.jsonl", "cannot be written"),
    ("export library --format openenv", "--format openenv writes files; give --out."),
    ("export library --format openenv --out small", "'small' is not an empty folder"),
    ("export library --format world --out new.db", "name it with --task ID"),
    ("export library --format world --task x --out new.db", "has no task 'x'; have: keep-a-book"),
    ("export library --format world --task keep-a-book --out small/domain.json", "File exists"),
    ("export library --format world --task keep-a-book --out no/new.db", "No such file or directory"),
    ("verify x.db --task nope", "is not in a session's folder, which names its domain; add --domain"),
    ("verify x.db --task nope --domain library", "has no task 'nope'; have: keep-a-book, card-and-queue, late-"),
    ("verify x.db --task keep-a-book --domain libary", "no domain 'libary'; have: library"),
    ("verify x.db --task keep-a-book --domain library", "there is no database file 'x.db'"),
    ("verify small --task keep-a-book --domain library", "there is no database file 'small'"),
    ("verify small/world.py --task keep-a-book --domain library", "cannot be read: file is not a database"),
    ("check libary", "no domain 'libary'; have: library"),
    ("check ./nowhere", "'./nowhere' is not a domain folder; it has no domain.json."),
    ("check library --calls 0", "--calls is 0; it is a number from 1 to 10,000,000."),
    ("check library --tasks none.jsonl", "There is no task file 'none.jsonl'."),
    ("check library --write-graph", "library belongs to the installed package; copy it to ./domains"),
    ("new small --draft --out small", "'small' is there already; choose another keyword or --out."),
    ("new 7 --draft", "Keyword '7' names no domain"),
    ("calibrate library", "`worldsmith calibrate` is gone; type `worldsmith eval DOMAIN --rates`."),
    ("eval library --agent command:sh --pass-env NO_SUCH", "--pass-env 'NO_SUCH' names a variable that is not set."),
    ("eval library --transport=stdio", "`worldsmith eval --transport` is gone; "),
    (
        "tasks library --export keep-a-book x.db",
        "type `worldsmith export DOMAIN --format world --task ID --out FILE.db`.",
    ),
]


@pytest.mark.parametrize(("words", "sentence"), REFUSED, ids=[words for words, _ in REFUSED])
def test_what_cannot_be_done_is_one_line_and_nothing_is_written(
    words: str, sentence: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_domain(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    paths = {"LIBRARY": str(LIBRARY), "small": "small" if "--suite" in words else "./small"}
    assert sentence in cli(*(paths.get(word, word) for word in shlex.split(words)), status=2)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
