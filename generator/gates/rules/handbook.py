"""Prove a handbook: who reads the articles in force decides every rule case as the code does, and finds them by search.

Each other version flips a rule case, so that whoever takes it for the one in force decides wrongly.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from generator.gates.folder import FolderRequest
from generator.gates.rules.case import PlacedRuleCase, place_rule_cases, read_rule_cases
from generator.gates.rules.prove import RuleMutant
from generator.isolation.job import job
from runtime.domain.caller_rules import is_caller_rule
from runtime.domain.domain import Domain
from runtime.domain.handbook import (
    Article,
    ArticleDesign,
    Clause,
    Handbook,
    HandbookFile,
    OtherVersion,
    other_figures,
    places_in,
    read_handbook,
    with_callers,
)
from runtime.domain.load import load_domain
from runtime.domain.rule import Declared, Duty, Rule
from runtime.domain.tool import first_sentence
from runtime.errors import EnvironmentFault, UsageError
from runtime.wording import counted, have

_OLDEST, _SPREAD = 90, 800  # days: the least and the most that an article in force is old, less the least
_MOST_SHOWN = 3  # articles that a complaint names


class WrittenArticle(BaseModel):
    """An article as a model writes it; `before` is what it said before the rule existed, if that has no number."""

    model_config = ConfigDict(extra="forbid")

    key: str
    title: str
    clauses: list[Clause]
    before: str = ""


class WrittenHandbook(BaseModel):
    """The articles of an office as a model writes them; those in `drop` are removed by a repair."""

    model_config = ConfigDict(extra="forbid")

    articles: list[WrittenArticle]
    drop: list[str] = []

    def merged(self, repair: WrittenHandbook) -> WrittenHandbook:
        """Return these articles with those of a repair in their places."""
        new = {each.key: each for each in repair.articles}
        kept = {each.key: each for each in self.articles if each.key not in repair.drop}
        return WrittenHandbook(articles=list({**kept, **new}.values()))


@dataclass(frozen=True)
class HandbookRequest:
    """A domain folder and articles for it."""

    folder: Path
    written: WrittenHandbook


@dataclass(frozen=True)
class HandbookTrial:
    """What is wrong with articles; if nothing is, the text of `handbook.json`."""

    faults: list[str]
    text: str = ""


@dataclass
class HandbookFigures:
    """How many articles there are, and rule cases decided by them.

    `by_citation` are articles with rules that no plain query for a tool finds. A reader who takes the versions in force
    decides `right` cases as the code does, one who takes superseded versions `right_before`, one who takes the first
    version found `right_first`.
    """

    own: int = 0
    versions: int = 0
    others: int = 0
    by_citation: int = 0
    cases: int = 0
    right: int = 0
    right_before: int = 0
    right_first: int = 0


@dataclass
class HandbookReport:
    """The figures of a handbook, and every fault."""

    figures: HandbookFigures = field(default_factory=HandbookFigures)
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class OfficeText:
    """What a model is told of an office to write its handbook."""

    title: str
    summary: str
    rules: list[str]


@job("office")
def describe_office_rules(asked: FolderRequest) -> OfficeText:
    """Describe the rules and duties of a folder, with their numbers; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    told = []
    for each in (*(rule for rule in domain.rules.rules if not is_caller_rule(rule)), *domain.rules.duties):
        words = " ".join(inspect.cleandoc(each.function.__doc__ or "").split())
        numbers = ", ".join(f"{{{each.code}.{name}}} = {number}" for name, number in each.numbers.items())
        guarded = [f"`{name}` ({first_sentence(domain.tools[name].description)})" for name in getattr(each, "on", ())]
        kind = f"rule; it guards {', '.join(guarded)}" if guarded else "duty"
        told.append(f"- {each.code} ({kind}; numbers: {numbers or 'none'}): {words}")
    return OfficeText(domain.card.title, domain.card.summary, told)


@job("handbook trial")
def try_handbook(asked: HandbookRequest) -> HandbookTrial:
    """Give articles dates and versions, and look for faults; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    faults = list(_faults_of_text(domain, asked.written.articles))
    if faults:
        return HandbookTrial(faults)
    placed = place_rule_cases(domain, read_rule_cases(asked.folder), [])
    design = _dated(domain, asked.written, placed)
    faults += _faults_of_versions(design)
    faults += _proven(domain, design, placed).faults
    return HandbookTrial(faults, design.model_dump_json(indent=1, exclude_defaults=True) + "\n")


@job("handbook")
def prove_handbook(asked: FolderRequest) -> HandbookReport:
    """Prove the handbook of a domain folder; errors: BrokenDomain, UsageError."""
    domain, design = load_domain(asked.folder), read_handbook(asked.folder)
    faults = list(_faults_of_text(domain, design.articles))
    if faults:
        return HandbookReport(faults=faults)
    return _proven(domain, design, place_rule_cases(domain, read_rule_cases(asked.folder), []))


def _faults_of_text(domain: Domain, articles: Sequence[ArticleDesign | WrittenArticle]) -> Iterator[str]:
    """Yield what is wrong with the texts: each clause and figure is in one of them, and citations lead on."""
    own = [rule for rule in domain.rules.rules if not is_caller_rule(rule)]
    declared: dict[str, Declared] = {each.code: each for each in (*own, *domain.rules.duties)}
    keys = [each.key for each in articles]
    titles = [each.title.casefold() for each in articles]
    for twice in sorted({name for name in (*keys, *titles) if (keys + titles).count(name) > 1}):
        yield f"two articles have the key or title {twice!r}; give each its own"
    stated: dict[str, str] = {}
    figures: dict[str, str] = {}
    for article in articles:
        for clause in article.clauses:
            where = f"article {article.key!r}, clause {clause.text[:40]!r}"
            if clause.of and clause.of not in declared:
                yield f"{where} is of {clause.of!r}; {have(clause.of, list(declared))}"
                continue
            if clause.text in stated:
                yield f"{where} is in article {stated[clause.text]!r}, too; say it once"
            stated[clause.text] = article.key
            for code, name in places_in(clause.text):
                if code == "see":
                    if name not in keys or name == article.key:
                        yield f"{where} cites {name!r}; cite the key of another article"
                elif code not in declared or name not in declared[code].numbers:
                    yield f"{where} says {code}.{name}, which is not a number of a rule"
                elif f"{code}.{name}" in figures:
                    other = figures[f"{code}.{name}"]
                    yield f"{code}.{name} is in article {article.key!r} and in {other!r}; say it once"
                elif clause.of != code:
                    yield f"{where} says {code}.{name}; make the clause one of {code}"
                else:
                    figures[f"{code}.{name}"] = article.key
            bare = "".join(part.rpartition("}")[2] for part in clause.text.split("{"))
            if "}" in bare or any(letter.isdigit() for letter in bare):
                yield f"{where} has a number or a brace of its own; write {{CODE.number}} or {{see:key}}"
            yield from (f"{where} names {code}; say it in words" for code in declared if code in bare)
    for code, each in declared.items():
        if not any(clause.of == code for article in articles for clause in article.clauses):
            yield f"no clause is of {code}; state it"
        yield from (f"no clause says {code}.{name}" for name in each.numbers if f"{code}.{name}" not in figures)


def _dated(domain: Domain, written: WrittenHandbook, placed: Sequence[PlacedRuleCase]) -> HandbookFile:
    """Return articles with dates, and versions whose figures flip a rule case; the same articles give the same."""
    today = date.fromisoformat(domain.now[:10])
    articles = []
    for each in written.articles:
        drawn = int.from_bytes(hashlib.blake2b(f"{domain.name}\0{each.key}".encode(), digest_size=8).digest())
        since = today - timedelta(days=_OLDEST + drawn % _SPREAD)
        earlier = [since - timedelta(days=200 + drawn % 313), since - timedelta(days=600 + drawn % 411)]
        later = today + timedelta(days=7 + drawn % 83)
        new = ArticleDesign(key=each.key, title=each.title, clauses=each.clauses, since=since.isoformat())
        said = [name for name in _figures_of(new) if name.partition(".")[0] in new.codes]
        flips = [
            {name: value}
            for name in said
            for value in _rotated(other_figures(_number(domain, name)), drawn)
            if _flips(domain, placed, new.codes, {name: value})
        ]
        days = [earlier[0], *[later] * (drawn % 3 > 0), *[earlier[1]] * (drawn % 2)]
        others = [OtherVersion(since=day.isoformat(), figures=own) for day, own in zip(days, flips, strict=False)]
        if each.before and not said:
            others = [OtherVersion(since=earlier[0].isoformat(), text=each.before)]
        articles.append(new.model_copy(update={"others": others}))
    return HandbookFile(format=1, articles=articles)


def _rotated(values: Sequence[int], drawn: int) -> list[int]:
    start = drawn % max(1, min(2, len(values)))
    return [*values[start:], *values[:start]]


def _faults_of_versions(design: HandbookFile) -> Iterator[str]:
    """Yield the rules and duties of which no article has another version."""
    stated = {code: False for each in design.articles for code in each.codes}
    stated |= {code: True for each in design.articles if each.others for code in each.codes}
    for code in (code for code, has_another in stated.items() if not has_another):
        yield f"no article with {code} has another version; say in `before` what it said when there was no such rule"


def _proven(domain: Domain, design: HandbookFile, placed: Sequence[PlacedRuleCase]) -> HandbookReport:
    """Prove by execution that articles are found, that those in force decide rightly, and the others wrongly."""
    handbook = Handbook(domain, with_callers(domain, design))
    own = handbook.own
    in_force = {each.key: each for each in own if each.status == "in force"}
    report = HandbookReport()
    report.faults += _faults_of_search(domain, handbook, in_force)
    for each in own:
        if each.status != "in force" and not _flips(domain, placed, each.codes, each.figures, lifts=each.lifts):
            report.faults.append(f"the version of {each.title!r} since {each.since} flips no rule case")
        later = [other for other in own if other.key == each.key and other.since == each.since]
        if len(later) > 1:
            report.faults.append(f"two versions of {each.title!r} are since {each.since}")
    ruled = [each for each in in_force.values() if each.codes]
    first = list(handbook.first_found())
    before = {each.key: each for each in [*ruled, *(each for each in own if each.status == "superseded")]}
    found = {each.key for tool in domain.tools for each in _found(handbook, tool)}
    report.figures = HandbookFigures(
        own=len(in_force),
        versions=len(own),
        others=len(handbook.articles) - len(own),
        by_citation=sum(each.key not in found for each in ruled),
        cases=len(placed),
        right=sum(_is_right(each, decide_by(domain, ruled)) for each in placed),
        right_before=sum(_is_right(each, decide_by(domain, before.values())) for each in placed),
        right_first=sum(_is_right(each, decide_by(domain, first)) for each in placed),
    )
    if report.figures.right < len(placed):
        wrong = len(placed) - report.figures.right
        report.faults.append(f"{counted(wrong, 'rule case')} come out otherwise by the articles in force")
    if report.figures.right_first == len(placed):
        report.faults.append("whoever takes the first version found decides every rule case rightly")
    return report


def _faults_of_search(domain: Domain, handbook: Handbook, in_force: dict[str, Article]) -> Iterator[str]:
    """Yield what a search does not find: a cited article by its title, the rules of a tool by its plain name."""
    for each in in_force.values():
        if each not in handbook.search(each.title):
            yield f"a search for the title {each.title!r} does not find the article in force; give it a clearer title"
    reached: set[str] = set()
    for tool in domain.tools:
        led = _closure(_found(handbook, tool), in_force)
        reached |= led
        for rule in domain.rules.on(tool):
            stating = {each.key for each in in_force.values() if rule.code in each.codes}
            if not is_caller_rule(rule) and not stating <= led:
                missing = ", ".join(repr(in_force[key].title) for key in sorted(stating - led)[:_MOST_SHOWN])
                yield f"a search for {_query(tool)!r} does not lead to {missing}; cite it in an article that is found"
    for each in in_force.values():
        if each.codes and each.key not in reached and not each.key.startswith("callers_"):
            yield f"no search for a tool leads to {each.title!r}; cite it in an article that is found"


def _query(tool: str) -> str:
    return tool.replace("_", " ")


def _found(handbook: Handbook, tool: str) -> list[Article]:
    """Return the articles in force of the office that a plain query for a tool finds."""
    own = {each.number for each in handbook.own if each.status == "in force"}
    return [each for each in handbook.search(_query(tool)) if each.number in own]


def _closure(found: Iterable[Article], in_force: dict[str, Article]) -> set[str]:
    """Return the keys of articles and of all that they cite, directly or not."""
    pending, led = [each.key for each in found], set[str]()
    while pending:
        key = pending.pop()
        if key not in led:
            led.add(key)
            pending += in_force[key].cites
    return led


def decide_by(domain: Domain, articles: Iterable[Article]) -> Domain:
    """Return a domain whose rules and duties decide by what these articles say."""
    rules: dict[str, Rule | Duty] = {each.code: each for each in domain.rules.rules}
    rules |= {each.code: each for each in domain.rules.duties}
    changed: dict[str, Rule | Duty] = {}
    for article in articles:
        for code in article.codes:
            rule = changed.get(code, rules[code])
            own = {name.partition(".")[2]: n for name, n in article.figures.items() if name.partition(".")[0] == code}
            changed[code] = replace(rule, numbers={**rule.numbers, **own})
            if article.lifts:
                changed[code] = replace(changed[code], function=_allow)
    return RuleMutant("", changed).variant(domain)


def _allow(*_: Any, **__: Any) -> bool:
    return True


def _flips(
    domain: Domain,
    placed: Sequence[PlacedRuleCase],
    codes: Collection[str],
    figures: dict[str, int] | Any,
    *,
    lifts: bool = False,
) -> bool:
    """Return whether a version with these figures, or without the rules, decides a rule case otherwise."""
    article = Article("", "", "", "", codes=tuple(codes), figures=figures, lifts=lifts)
    variant = decide_by(domain, [article])
    return any(each.case.rule in codes and not _is_right(each, variant) for each in placed)


def _is_right(placed: PlacedRuleCase, domain: Domain) -> bool:
    try:
        return placed.answer(domain) == placed.case.allowed
    except (UsageError, EnvironmentFault):
        return False


def _figures_of(article: ArticleDesign) -> list[str]:
    return [f"{code}.{name}" for each in article.clauses for code, name in places_in(each.text) if code != "see"]


def _number(domain: Domain, name: str) -> int:
    code, _, number = name.partition(".")
    return next(each.numbers[number] for each in (*domain.rules.rules, *domain.rules.duties) if each.code == code)
