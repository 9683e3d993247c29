"""Stage `rules`: what the assistant must keep though no tool enforces it, words and code from one source."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from generator.author.ask import Asker, Question, ask, complaints_in, entries_named
from generator.author.draft import PROVING, Draft
from generator.author.stages.code import syntax_error
from generator.author.writing.code import indented, lint, placed
from generator.author.writing.designs import describe_conventions, describe_tools, prompt
from generator.author.writing.rules import RuleDesign, RulesDesign
from generator.gates.folder import FolderRequest, describe_folder
from generator.gates.rules.fit import measure_denied, survey_tables
from generator.gates.rules.prove import RulesTrial, try_rules
from generator.gates.rules.reach import HIDDEN
from generator.isolation.process import run_job
from generator.scenarios.scenario import sample_world
from runtime.domain.arguments import weekday
from runtime.domain.caller_rules import IDENTIFIED_FIRST, OWN_RECORDS
from runtime.domain.load import RULES
from runtime.domain.people import DECLINE, DECLINED, DESK_TABLES, IDENTIFICATION, IDENTIFY, People
from runtime.errors import StageFailed, WorldsmithError

MOST = 12  # rules of a domain
_FEWEST, _TOOLS_PER_RULE = 6, 3  # fewer where there are few tools
_DECIDES = " that callers make about "  # stands in a complaint that a rule denies too few calls, or too many


async def write_rules(asker: Asker, draft: Draft) -> Draft:
    """Return the draft with rules that its tools do not enforce, or those that stand mended; errors: StageFailed.

    A rule that decides hardly anything, or that nobody can look up, to the end is dropped, if enough others are left.
    """
    people = _people_of(draft)
    least = fewest_rules(draft)
    rows = await asyncio.to_thread(sample_rows, draft)
    facts = await asyncio.to_thread(replace(draft, cases={}).prove, survey_tables)

    def narrowed(design: RulesDesign, complaints: Sequence[str]) -> str:
        tools, tables = tools_and_tables(draft, design, complaints)
        return describe_office(draft, tools, tables) + about({name: rows[name] for name in tables & rows.keys()})

    def about(rows: Mapping[str, str]) -> str:
        return prompt(
            "rules",
            rows="\n".join(rows.values()),
            owned="\n".join(facts.owned),
            hidden=", ".join(facts.hidden) or "none",
            people=describe_people(people),
            least=least,
            most=MOST,
            given=f"{IDENTIFIED_FIRST} and {OWN_RECORDS}",
            refusal=DECLINE,
        )

    def faults(design: RulesDesign) -> list[str]:
        standing = {code for code in draft.rules.codes if design.part(code) == draft.rules.part(code)}
        blamed = [f"{_named(design, code)}: {said}" for code, said in draft.blamed.items() if code in standing]
        return [*blamed, *faults_of_rules(draft, design, 1 if draft.rules.codes else least)]

    question = Question(
        stage="rules",
        key="rules",
        prefix=describe_office(draft),
        prompt=about(rows),
        narrow=narrowed,
        repair="Give only the rules and duties that change or are new, each one whole; `helpers` whole, or empty if "
        "they stay. Codes in `drop` are removed.",
        max_tokens=16_000,
    )
    asked = await ask(
        asker,
        question,
        RulesDesign,
        faults,
        merge=RulesDesign.merged,
        excerpt=entries_named(rules=["code"], duties=["code"]),
        standing=draft.rules if draft.rules.codes else None,
    )
    if asked.complaints:
        weak = {
            code: each
            for each in asked.complaints
            for code in asked.artifact.codes
            if code in each and (_DECIDES in each or HIDDEN in each)
        }
        left = asked.artifact.without(weak)
        if len(weak) == len(asked.complaints) and not await asyncio.to_thread(faults_of_rules, draft, left):
            for reason in weak.values():
                asker.watcher.said(f"dropped {reason}")
            return replace(draft, rules=left, lost_rules={**draft.lost_rules, **weak})
    return replace(draft, rules=asked.insist("The rules"))


def tools_and_tables(draft: Draft, design: RulesDesign, complaints: Sequence[str]) -> tuple[set[str], set[str]]:
    """Return the tools and tables of the rules that complaints name, or all of them if a complaint names none."""
    tools = {tool.name for tool in draft.catalogue.tools}
    if not all(any(name in each for name in (*design.codes, *tools)) for each in complaints):
        return tools, {*draft.schema.tables}
    text = "\n".join(complaints)
    own = {name for name in tools if name in text}
    concerned = [each for each in design.parts if each.code in text]
    own |= {tool for each in concerned if isinstance(each, RuleDesign) for tool in (*each.on, *each.exempt)} & tools
    reads = {table for each in concerned for table in each.reads} & draft.schema.tables.keys()
    return own, draft.with_parents(reads | draft.tables_needed(map(draft.catalogue.tool, own)))


def describe_office(draft: Draft, tools: Collection[str] | None = None, tables: Collection[str] = ()) -> str:
    """Describe what every prompt about rules begins with: the office, its tables and writing tools, or some."""
    writing = [tool for tool in draft.catalogue.tools if tool.writes and (tools is None or tool.name in tools)]
    return prompt(
        "rules_office",
        title=draft.catalogue.title,
        summary=draft.catalogue.summary,
        clock=draft.catalogue.clock,
        weekday=weekday(draft.catalogue.clock),
        conventions=describe_conventions(draft.catalogue),
        schema=draft.database.schema_sql.strip() if tools is None else draft.sql_of_tables(tables),
        designs=describe_tools(writing, {tool.name: draft.tables_of(tool.name) for tool in writing}),
    )


def fewest_rules(draft: Draft) -> int:
    """Return the fewest rules of a domain with this many tools."""
    return max(2, min(_FEWEST, len(draft.catalogue.tools) // _TOOLS_PER_RULE))


def faults_of_rules(draft: Draft, design: RulesDesign, least: int = 1) -> list[str]:
    """Return what is wrong with rules when they are read and run; their cases are not looked at."""
    faults = [*_faults_of_form(design, least)]
    if faults:
        return faults
    with replace(draft, rules=design, rule_cases={}, scenarios=()).laid_out() as folder:
        faults = _faults_of_file(design, folder)
        if faults:
            return faults
        try:
            trial = run_job(try_rules, FolderRequest(folder), PROVING)
            faults = [f"{_named(design, code)}: {each}" for code, own in trial.faults.items() for each in own]
            if not faults and least > 1:
                faults = run_job(measure_denied, FolderRequest(folder), PROVING).faults
        except WorldsmithError as error:
            return complaints_in(error)
    return [*faults, *trial.unbound]


def try_cases_of_rules(draft: Draft) -> RulesTrial:
    """Run the cases of a draft's rules."""
    return replace(draft, scenarios=()).prove(try_rules)


def policy_text(folder: Path) -> str:
    """Return the text of `policy.md` of a folder with rules."""
    return run_job(describe_folder, FolderRequest(folder), PROVING).policy


def describe_people(people: People) -> str:
    """Return who calls, for those who write rules or scenarios."""
    key = f"{people.table}_id"
    owned = ", ".join(f"`{table}` (by {way})" for table, way in people.owns.items())
    found = ", ".join(f"{tool}({detail}=...)" for detail, tool in people.found_by.items())
    proofs = ", ".join(f"{column} ({name!r})" for column, name in people.proven_by.items())
    return (
        f"Callers are rows of `{people.table}`, and these rows belong to them: {owned}. The assistant finds a caller "
        f"with {found}; `{people.name}` is the name, and {proofs} prove who someone is. Every office has two tools "
        f"that record: `{IDENTIFY}({key}, ...)` that the caller was identified, in table `{IDENTIFICATION}`, and "
        f"`{DECLINE}({key}, subject_id, rule_code)` that a rule forbade a request, in table `{DECLINED}`. Two rules "
        f"are given as well: {IDENTIFIED_FIRST} (identify the caller before changing anything of theirs) and "
        f"{OWN_RECORDS} (change only the identified caller's records)."
    )


def _people_of(draft: Draft) -> People:
    if draft.people is None:
        raise StageFailed("Nobody can call this office: every tool that finds a person was dropped.")
    return draft.people


def sample_rows(draft: Draft) -> Mapping[str, str]:
    """Return what the tables of a small world hold, in a few lines each."""
    tables = replace(draft, cases={}).prove(sample_world).tables
    return {name: held for name, held in tables.items() if name not in DESK_TABLES}


def _faults_of_form(design: RulesDesign, least: int) -> Iterator[str]:
    """Yield what is wrong before the rules are written to a file."""
    codes = design.codes
    if not least <= len(design.rules) <= MOST:
        yield f"there are {len(design.rules)} rules; write {least} to {MOST}"
    for code in sorted({code for code in codes if codes.count(code) > 1}):
        yield f"two rules or duties have the code {code}; give each its own"
    for code in (IDENTIFIED_FIRST, OWN_RECORDS):
        if code in codes:
            yield f"{code} is part of every office; leave it out"
    if least > 1 and not design.duties:
        yield "there is no duty; write the one that a declined request is not done after all"
    if wrong := syntax_error(design.helpers):
        yield f"helpers, line `{wrong[0]}`: not valid Python: {wrong[1]}"
    for each in design.parts:
        if wrong := syntax_error(f"def rule():\n{indented(each.body) or '    pass'}"):
            yield f"{_named(design, each.code)}, line `{wrong[0]}`: the body is not valid Python: {wrong[1]}"


def _faults_of_file(design: RulesDesign, folder: Path) -> list[str]:
    """Return what loading and the linter say of `rules.py`, with the rule and the line in question."""
    text = (folder / RULES).read_text(encoding="utf-8")
    faults = []
    try:
        run_job(describe_folder, FolderRequest(folder))
    except WorldsmithError as error:
        faults = [_placed(design, text, fault) for fault in complaints_in(error)]
    faults += [_placed(design, text, f"{RULES}:{line}: {said}") for name, line, said in lint(folder) if name == RULES]
    return faults


def _placed(design: RulesDesign, text: str, fault: str) -> str:
    """Return a fault with the rule and the text of its line instead of a line number."""
    function, line, said = placed(text, fault)
    if not line or any(repr(code) in said for code in design.codes):
        return said
    return f"{_named(design, function.upper())}, line `{line}`: {said}" if function else f"line `{line}`: {said}"


def _named(design: RulesDesign, code: str) -> str:
    if code in [each.code for each in design.duties]:
        return f"duty {code}"
    return f"rule {code}" if code in design.codes else f"helper {code.lower()}"
