"""Stage `rules`: what the assistant must keep though no tool enforces it, as words and code from one place."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from generator.build.ask import Asker, Question, ask
from generator.build.draft import Draft
from generator.build.stages.code import syntax_error
from generator.build.writing.code import indented, lint, placed
from generator.build.writing.designs import describe_conventions, describe_tools
from generator.build.writing.prompts import prompt
from generator.build.writing.rules import RulesDesign
from generator.gates.folder import FolderRequest, describe_folder
from generator.gates.rules.trial import RulesTrial, measure_denied, try_rules
from generator.isolation.job import ProvingLimits
from generator.isolation.process import prove
from generator.scenarios.scenario import sample_world
from runtime.domain.dates import weekday
from runtime.domain.desk import IDENTIFIED_FIRST, OWN_RECORDS
from runtime.domain.load import RULES
from runtime.domain.people import DECLINE, DECLINED, IDENTIFICATION, IDENTIFY, People
from runtime.errors import StageFailed, WorldsmithError

MOST = 12  # rules of a domain
_FEWEST, _TOOLS_PER_RULE = 6, 3  # fewer where there are few tools
_LIMITS = ProvingLimits(cpu_seconds=240, wall_seconds=900)


async def write_rules(asker: Asker, draft: Draft) -> Draft:
    """The draft with rules that its tools do not enforce; errors: StageFailed."""
    people = _people_of(draft)
    least = fewest_rules(draft)
    rows = await asyncio.to_thread(sample_rows, draft)

    writing = [tool for tool in draft.catalogue.tools if tool.writes]
    question = Question(
        stage="rules",
        key="rules",
        prompt=prompt(
            "rules",
            title=draft.catalogue.title,
            summary=draft.catalogue.summary,
            clock=draft.catalogue.clock,
            weekday=weekday(draft.catalogue.clock),
            conventions=describe_conventions(draft.catalogue),
            schema=draft.sql_of_tables(draft.schema.tables),
            rows="\n".join(rows.values()),
            people=describe_people(people),
            designs=describe_tools(writing, {tool.name: draft.tables_of(tool.name) for tool in writing}),
            least=least,
            most=MOST,
            identification=IDENTIFY,
            refusal=DECLINE,
            body=prompt("body"),
        ),
        repair="Give only the rules and duties that change or are new, each whole; `helpers` whole, or empty if they "
        "stay; codes in `drop` are taken away.",
        max_tokens=16_000,
    )
    asked = await ask(
        asker,
        question,
        RulesDesign,
        lambda design: faults_of_rules(draft, design, least),
        merge=RulesDesign.merged,
        named_by={"rules": ["code"], "duties": ["code"]},
    )
    return replace(draft, rules=asked.insist("The rules"))


def fewest_rules(draft: Draft) -> int:
    """How many rules a domain of so many tools has at least."""
    return max(2, min(_FEWEST, len(draft.catalogue.tools) // _TOOLS_PER_RULE))


def faults_of_rules(draft: Draft, design: RulesDesign, least: int = 1) -> list[str]:
    """What is wrong with rules, by reading and by running them; their cases are not looked at."""
    faults = [*_faults_of_form(design, least)]
    if faults:
        return faults
    with replace(draft, rules=design, rule_cases={}, scenarios=()).laid_out() as folder:
        faults = _faults_of_file(design, folder)
        if faults:
            return faults
        try:
            trial = prove(try_rules, FolderRequest(folder), _LIMITS)
            faults = [f"{_named(design, code)}: {each}" for code, own in trial.faults.items() for each in own]
            if not faults and least > 1:
                faults = prove(measure_denied, FolderRequest(folder), _LIMITS).faults
        except WorldsmithError as error:
            return str(error).splitlines()
    return [*faults, *trial.unbound]


def try_cases_of_rules(draft: Draft) -> RulesTrial:
    """What the cases of a draft's rules come to."""
    with replace(draft, scenarios=()).laid_out() as folder:
        return prove(try_rules, FolderRequest(folder), _LIMITS)


def policy_text(folder: Path) -> str:
    """The text of `policy.md` of a folder with rules."""
    return prove(describe_folder, FolderRequest(folder), _LIMITS).policy


def describe_people(people: People) -> str:
    """Who calls, for whoever writes rules or scenarios."""
    key = f"{people.table}_id"
    owned = ", ".join(f"`{table}` (by {way})" for table, way in people.owns.items())
    found = ", ".join(f"{tool}({detail}=...)" for detail, tool in people.found_by.items())
    proofs = ", ".join(f"{column} (said as {name!r})" for column, name in people.proven_by.items())
    lines = [
        f"Rows of `{people.table}` call; what is theirs: {owned}. They are found by {found}, named in `{people.name}`, "
        f"and prove who they are by {proofs}."
    ]
    lines.append(
        f"Every office has two tools that record: `{IDENTIFY}({key}, ...)` that the caller was identified, in table "
        f"`{IDENTIFICATION}`, and `{DECLINE}({key}, subject_id, rule_code)` that a rule forbade a request, in table "
        f"`{DECLINED}`. Two rules are given, too: {IDENTIFIED_FIRST} (the caller is identified before anything of "
        f"theirs is changed) and {OWN_RECORDS} (only the identified caller's records are changed)."
    )
    return " ".join(lines)


def _people_of(draft: Draft) -> People:
    if draft.people is None:
        raise StageFailed("Nobody can call this office any more: the tools that find a person were dropped.")
    return draft.people


def sample_rows(draft: Draft) -> Mapping[str, str]:
    """What the tables of a small world hold, in a few lines each."""
    with replace(draft, cases={}).laid_out() as folder:
        return prove(sample_world, FolderRequest(folder), _LIMITS).tables


def _faults_of_form(design: RulesDesign, least: int) -> Iterator[str]:
    """What is wrong before the rules stand in a file."""
    codes = design.codes
    if not least <= len(design.rules) <= MOST:
        yield f"there are {len(design.rules)} rules; {least} to {MOST} are wanted"
    for code in sorted({code for code in codes if codes.count(code) > 1}):
        yield f"{code} is the code of two; give each its own"
    for code in (IDENTIFIED_FIRST, OWN_RECORDS):
        if code in codes:
            yield f"{code} is given already; leave it out"
    if least > 1 and not design.duties:
        yield "there is no duty; write the one that a declined request is not granted after all"
    if wrong := syntax_error(design.helpers):
        yield f"helpers, line `{wrong[0]}`: they are not valid Python: {wrong[1]}"
    for each in design.parts:
        if wrong := syntax_error(f"def rule():\n{indented(each.body) or '    pass'}"):
            yield f"{_named(design, each.code)}, line `{wrong[0]}`: the body is not valid Python: {wrong[1]}"


def _faults_of_file(design: RulesDesign, folder: Path) -> list[str]:
    """What loading and the linter say of `rules.py`, each at the rule and the line it is about."""
    text = (folder / RULES).read_text(encoding="utf-8")
    faults = []
    try:
        prove(describe_folder, FolderRequest(folder))
    except WorldsmithError as error:
        faults = [_placed(design, text, fault) for fault in str(error).splitlines()]
    faults += [_placed(design, text, f"{RULES}:{line}: {said}") for name, line, said in lint(folder) if name == RULES]
    return faults


def _placed(design: RulesDesign, text: str, fault: str) -> str:
    """A fault with the rule and the text of its line instead of a number."""
    function, line, said = placed(text, fault)
    if not line or any(repr(code) in said for code in design.codes):
        return said
    return f"{_named(design, function.upper())}, line `{line}`: {said}" if function else f"line `{line}`: {said}"


def _named(design: RulesDesign, code: str) -> str:
    if code in [each.code for each in design.duties]:
        return f"duty {code}"
    return f"rule {code}" if code in design.codes else f"helper {code.lower()}"
