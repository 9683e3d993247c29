"""A policy to be searched: the rules and duties of an office as articles of its handbook, among those of other offices.

`handbook.json` has each article once, as clauses with places for figures. Versions that are no longer, or not yet, in
force have figures of their own; only dates and the number of what a version replaces tell which one applies.
"""

from __future__ import annotations

import hashlib
import inspect
import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from runtime.domain.arguments import Date, Signature
from runtime.domain.caller_rules import IDENTIFIED_FIRST, is_caller_rule
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain, named_folders
from runtime.domain.locale import Locale
from runtime.domain.people import DECLINE
from runtime.domain.policy_text import subject_of, write_policy
from runtime.domain.rule import Declared, fill_numbers
from runtime.domain.tool import Tool
from runtime.errors import EnvironmentFault, Rejection, UsageError
from runtime.sandbox.files import is_there, read_text
from runtime.wording import singular

HANDBOOK = "handbook.json"
SEARCH, READ = "search_handbook", "read_article"
SISTERS = (  # offices whose articles stand beside those of every other; a new domain changes no handbook
    "community_garden",
    "express_logistics",
    "healthcare_telemedicine",
    "job_seeking",
    "library",
    "online_learning",
    "second_hand_marketplace",
    "smart_home",
    "stock_trading",
    "wedding_planning",
)
MOST_FOUND = 6  # articles of a search
_FIRST_NUMBER, _FIRST_CODE = 101, 11
_FIRST_WORDS = 14
_ROUND = 25  # to which other figures above a hundred are rounded
_YEARS = 3  # for which the articles on callers have been in force
_PLACE = re.compile(r"\{([A-Z][A-Z0-9_]*)\.([a-z][a-z0-9_]*)\}|\{see:([a-z][a-z0-9_]*)\}")

Status = Literal["superseded", "in force", "not yet in force"]


class Clause(BaseModel):
    """A part of an article; `of` is the code of the rule or duty that it states, empty where it states none.

    In its text `{CODE.number}` is a number of a rule or duty, `{see:key}` the title of another article.
    """

    model_config = ConfigDict(extra="forbid")

    of: str = ""
    text: str = Field(min_length=1)


class OtherVersion(BaseModel):
    """A version of an article that is not in force: other `figures`, by `CODE.number`, or another `text`.

    One with a text is of a time at which the rules of its clauses did not exist.
    """

    model_config = ConfigDict(extra="forbid")

    since: Date
    figures: dict[str, int] = {}
    text: str = ""


class ArticleDesign(BaseModel):
    """An article of an office's own handbook, in force `since` a day."""

    model_config = ConfigDict(extra="forbid")

    key: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str = Field(min_length=1, max_length=80)
    clauses: list[Clause] = Field(min_length=1)
    since: Date
    others: list[OtherVersion] = []

    @property
    def text(self) -> str:
        """Its clauses, with their places."""
        return " ".join(each.text for each in self.clauses)

    @property
    def codes(self) -> list[str]:
        """The rules and duties that its clauses state."""
        return list(dict.fromkeys(each.of for each in self.clauses if each.of))


class HandbookFile(BaseModel):
    """`handbook.json`."""

    model_config = ConfigDict(extra="forbid")

    format: Literal[1]
    articles: list[ArticleDesign]


@dataclass(frozen=True)
class Article:
    """A version of an article as agents read it; what is not shown is kept for gates and scripted readers."""

    office: str
    title: str
    text: str
    since: str
    number: int = 0
    replaces: int | None = None
    key: str = ""
    codes: tuple[str, ...] = ()  # rules and duties that it states
    cites: tuple[str, ...] = ()  # keys
    figures: Mapping[str, int] = field(default_factory=dict)  # that its text says, by CODE.number
    lifts: bool = False  # it is of a time at which its rules did not exist
    status: Status = "in force"

    @property
    def name(self) -> str:
        """What tells it from every other article."""
        return f"{self.office}\0{self.key}\0{self.since}"


class FoundArticle(TypedDict):
    """An article of a search."""

    number: Annotated[int, "Number of the article"]
    office: Annotated[str, "Office whose handbook it belongs to"]
    title: Annotated[str, "Its title"]
    begins: Annotated[str, "Its first words"]


class FoundArticles(TypedDict):
    """The articles of a search."""

    articles: Annotated[list[FoundArticle], "The best matches, best first"]


class ReadArticle(TypedDict):
    """A whole article."""

    number: Annotated[int, "Number of the article"]
    office: Annotated[str, "Office whose handbook it belongs to"]
    title: Annotated[str, "Its title"]
    effective_from: Annotated[str, "Day from which it applies, as YYYY-MM-DD"]
    replaces: Annotated[int | None, "Number of the earlier version that it replaces from that day on"]
    text: Annotated[str, "Its text"]


class Handbook:
    """The articles that a session can search and read: its office's own, and those of other offices.

    `figures`, by `CODE.number`, take the place of those of the version just before the one in force.
    """

    def __init__(self, domain: Domain, design: HandbookFile, figures: Mapping[str, int] | None = None) -> None:
        self.design = design
        self.codes = _neutral_codes(domain)  # by the codes of rules
        self._domain, self._figures = domain, figures or {}
        self._index: sqlite3.Connection | None = None
        self._lock = Lock()  # threads may share a session's domain

    @cached_property
    def articles(self) -> Mapping[int, Article]:
        """All articles by number."""
        versions = [*_versions(self._domain, self.design, self.codes, self._figures), *_of_other_offices(self._domain)]
        versions.sort(key=lambda each: _place(each.name))
        numbers = {each.name: _FIRST_NUMBER + place for place, each in enumerate(versions)}
        before: dict[str, Article] = {}
        last: dict[tuple[str, str], Article] = {}
        for each in sorted(versions, key=lambda each: each.since):
            if (earlier := last.get((each.office, each.key))) is not None:
                before[each.name] = earlier
            last[each.office, each.key] = each
        return {
            numbers[each.name]: replace(
                each,
                number=numbers[each.name],
                replaces=numbers[before[each.name].name] if each.name in before else None,
            )
            for each in versions
        }

    @cached_property
    def digest(self) -> str:
        """What the articles are, those of other offices too; the figures of a task do not count."""
        plain = self if not self._figures else Handbook(self._domain, self.design)
        words = ("\0".join((each.office, each.title, each.since, each.text)) for each in plain.articles.values())
        return hashlib.sha256("\1".join(words).encode()).hexdigest()

    @property
    def own(self) -> list[Article]:
        """The articles of the office itself, all versions."""
        return [each for each in self.articles.values() if each.office == self._domain.card.title]

    def search(self, query: str) -> list[Article]:
        """Return the articles that match a query best, best first; errors: EnvironmentFault without FTS5."""
        words = "".join(letter if letter.isalnum() else " " for letter in query).split()
        if not words:
            return []
        asked = " OR ".join(f'"{word}"' for word in words)
        with self._lock:
            index = self._index = self._index or self._indexed()
            found = index.execute(_SEARCH, (asked, MOST_FOUND)).fetchall()
        return [self.articles[number] for (number,) in found]

    def first_found(self) -> Iterator[Article]:
        """Yield, of each of the office's articles with rules or duties, the version that its title finds first."""
        for each in self.own:
            if each.codes and each.status == "in force":
                hits = (hit for hit in self.search(each.title) if (hit.office, hit.key) == (each.office, each.key))
                yield next(hits, each)

    def read(self, number: int) -> Article:
        """Return an article; errors: Rejection for a number that none has."""
        if number not in self.articles:
            raise Rejection.not_found(f"The handbook has no article {number}; search it with {SEARCH}.")
        return self.articles[number]

    def _indexed(self) -> sqlite3.Connection:
        index = sqlite3.connect(":memory:", check_same_thread=False)
        try:
            index.execute("CREATE VIRTUAL TABLE article USING fts5(title, body, office, tokenize='porter unicode61')")
        except sqlite3.OperationalError as error:
            raise EnvironmentFault(f"The SQLite of this Python cannot search the handbook: {error}.") from error
        rows = ((each.number, each.title, each.text, each.office) for each in self.articles.values())
        index.executemany("INSERT INTO article (rowid, title, body, office) VALUES (?, ?, ?, ?)", rows)
        return index


_SEARCH = "SELECT rowid FROM article WHERE article MATCH ? ORDER BY bm25(article, 4.0, 1.0, 1.0), rowid LIMIT ?"


@dataclass(frozen=True, eq=False)
class SearchedDomain(Domain):
    """A domain whose policy is its handbook: rules and duties are not told, but searched by two more tools."""

    handbook: Handbook = field(kw_only=True, repr=False)


def with_handbook(domain: Domain, figures: Mapping[str, int] | None = None) -> SearchedDomain:
    """Return a domain with its policy in a handbook, perhaps with other `figures` of superseded versions.

    Errors: UsageError where the domain has no handbook, or one that cannot be read.
    """
    plain = _searched(domain)
    if not figures:
        return plain
    handbook = Handbook(domain, plain.handbook.design, figures)
    return replace(plain, tools={**plain.tools, **_tools(handbook)}, handbook=handbook)


@lru_cache(maxsize=32)
def _searched(domain: Domain) -> SearchedDomain:
    handbook = Handbook(domain, with_callers(domain, read_handbook(domain.path)))
    if taken := [name for name in (SEARCH, READ) if name in domain.tools]:
        raise UsageError(f"Domain {domain.name!r} has a tool {taken[0]!r} of its own; rename it to have a handbook.")
    tools = {**domain.tools, **_tools(handbook)}
    if DECLINE in tools:
        tools[DECLINE] = _declining(tools[DECLINE], handbook.codes)
    whole = {each.name: getattr(domain, each.name) for each in fields(Domain)}
    whole |= {"tools": dict(sorted(tools.items())), "policy": write_policy(domain, handbook=True)}
    return SearchedDomain(**whole, handbook=handbook)


def with_callers(domain: Domain, design: HandbookFile) -> HandbookFile:
    """Return a handbook with the articles on callers, which are the same in every office."""
    own = [each for each in domain.rules.rules if is_caller_rule(each)]
    articles = []
    for rule in own if domain.people is not None else ():
        first = rule.code == IDENTIFIED_FIRST
        person = singular(domain.people.table.replace("_", " ")) if domain.people else ""
        unknown = f" If the caller cannot be identified, decline for the {person} they say they are." if first else ""
        articles.append(
            ArticleDesign(
                key="callers_identified" if first else "callers_own",
                title="Before anything of a caller is changed" if first else "Whose records we change",
                clauses=[Clause(of=rule.code, text=rule.prose + unknown)],
                since=f"{int(domain.now[:4]) - _YEARS}-01-02",
            )
        )
    return HandbookFile(format=1, articles=[*design.articles, *articles])


def read_handbook(folder: Path) -> HandbookFile:
    """Read `handbook.json` of a folder; errors: UsageError."""
    path = folder / HANDBOOK
    if not is_there(path):
        raise UsageError(
            f"Domain {folder.name!r} has no {HANDBOOK}; `worldsmith handbook {folder.name} --model M` writes one."
        )
    try:
        return HandbookFile.model_validate_json(read_text(path))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise UsageError(f"{str(path)!r} cannot be read: {where}: {first['msg']}.") from None


def other_figures(number: int) -> list[int]:
    """Return what a number of a rule may have been at another time, the likeliest first."""
    half, quarter = max(1, number // 2), max(1, number // 4)
    step = _ROUND if number > 4 * _ROUND else 1
    others = (each - each % step for each in (2 * number, half, number + half, number - quarter, number + quarter))
    return [each for each in dict.fromkeys(others) if each > 1 and each != number]  # "1 books" is not said


def places_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield what the places of a clause name: a code and a number, or "see" and the key of an article."""
    for place in _PLACE.finditer(text):
        yield (place[1], place[2]) if place[1] else ("see", place[3])


def _versions(
    domain: Domain, design: HandbookFile, codes: Mapping[str, str], figures: Mapping[str, int]
) -> Iterator[Article]:
    """Yield all versions of the articles of an office, without numbers."""
    declared: dict[str, Declared] = {each.code: each for each in (*domain.rules.rules, *domain.rules.duties)}
    titles = {each.key: each.title for each in design.articles}
    closing = _closings(domain, design, codes)
    today = domain.now[:10]
    for article in design.articles:
        coded = " ".join(_clauses_with_codes(article, closing))
        last = max((each.since for each in article.others if each.since < article.since), default="")
        for since, other in ((article.since, None), *((each.since, each) for each in article.others)):
            own = {} if other is None else dict(other.figures)
            own |= {name: figures[name] for name in own if since == last and name in figures}
            said = {
                f"{code}.{name}": own.get(f"{code}.{name}", declared[code].numbers[name])
                for code, name in places_in(article.text)
                if code != "see"
            }
            lifts = other is not None and bool(other.text)
            yield Article(
                office=domain.card.title,
                title=article.title,
                text=_filled(other.text if other is not None and other.text else coded, said, titles, domain.locale),
                since=since,
                key=article.key,
                codes=tuple(article.codes),
                cites=tuple(key for see, key in places_in(article.text) if see == "see"),
                figures={} if lifts else said,
                lifts=lifts,
                status="in force" if other is None else "superseded" if since <= today else "not yet in force",
            )


def _closings(domain: Domain, design: HandbookFile, codes: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """Return the neutral code and the subject of each rule in words, by the article that says its number, and the rule.

    A rule without a number has them in the first article that states it.
    """
    found: dict[tuple[str, str], str] = {}
    people, rules = domain.people, {each.code: each for each in domain.rules.rules}
    if people is None:
        return found
    for code in codes:
        stating = [each for each in design.articles if code in each.codes]
        saying = [each for each in stating if any(code == of for of, _ in places_in(each.text))]
        for article in (saying or stating)[:1]:
            subject = subject_of(rules[code], domain, people)
            found[article.key, code] = f"Code for refusals: {codes[code]}. Subject: {subject}."
    return found


def _clauses_with_codes(article: ArticleDesign, closings: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """Yield the clauses, and after the last one of each rule its code, so that it is plain whose it is."""
    last = {each.of: number for number, each in enumerate(article.clauses)}
    for number, each in enumerate(article.clauses):
        yield each.text
        if last[each.of] == number and (article.key, each.of) in closings:
            yield closings[article.key, each.of]


def _filled(text: str, said: Mapping[str, int], titles: Mapping[str, str], locale: Locale) -> str:
    def plain(code: str, name: str) -> str:
        return f"{code.lower()}_{name}"  # of which the end says whether it is money

    numbers = {plain(*name.split(".")): number for name, number in said.items()}
    text = _PLACE.sub(lambda place: f'"{titles[place[3]]}"' if place[3] else f"{{{plain(place[1], place[2])}}}", text)
    return fill_numbers(text, numbers, locale)


def _of_other_offices(domain: Domain) -> Iterator[Article]:
    """Yield the articles of the sister offices, shipped domains that have another name."""
    shipped = (root / name for root in named_folders()[1:] for name in SISTERS)
    for folder in shipped:
        if folder.name != domain.name and (folder / HANDBOOK).is_file():
            if folder not in _others:
                other = load_domain(folder)
                _others[folder] = list(_versions(other, read_handbook(folder), _neutral_codes(other), {}))
            yield from _others[folder]


_others: dict[Path, list[Article]] = {}


def _neutral_codes(domain: Domain) -> dict[str, str]:
    """Return a code for each rule that says nothing of it."""
    rules = sorted((each.code for each in domain.rules.rules), key=lambda code: _place(f"{domain.name}\0{code}"))
    return {code: f"C{_FIRST_CODE + place}" for place, code in enumerate(rules)}


def _place(name: str) -> bytes:
    return hashlib.blake2b(name.encode(), digest_size=8).digest()


def _tools(handbook: Handbook) -> dict[str, Tool]:
    def search_handbook(db: Any, query: str) -> FoundArticles:
        return {
            "articles": [
                {
                    "number": each.number,
                    "office": each.office,
                    "title": each.title,
                    "begins": " ".join(each.text.split()[:_FIRST_WORDS]),
                }
                for each in handbook.search(query)
            ]
        }

    def read_article(db: Any, number: int) -> ReadArticle:
        found = handbook.read(number)
        return {
            "number": found.number,
            "office": found.office,
            "title": found.title,
            "effective_from": found.since,
            "replaces": found.replaces,
            "text": found.text,
        }

    required = inspect.Parameter.empty
    asked = Annotated[str, "Words to look for", Field(min_length=1, max_length=400)]
    return {
        SEARCH: _tool(
            search_handbook,
            f"Search the handbook in full text. Returns up to {MOST_FOUND} articles, best match first, with their "
            "numbers, titles and first words. Read an article to see all of it.",
            {"query": (asked, required)},
            FoundArticles,
            frozenset(),
        ),
        READ: _tool(
            read_article,
            "Read one article of the handbook: its text, the day from which it applies, and what it replaces.",
            {"number": (Annotated[int, "Number of the article"], required)},
            ReadArticle,
            frozenset({"NOT_FOUND"}),
        ),
    }


def _tool(function: Any, description: str, given: Mapping[str, Any], result: Any, rejects: frozenset[Any]) -> Tool:
    name = function.__name__
    return Tool(
        name=name,
        description=description,
        file="the handbook",
        reads=frozenset(),
        writes=frozenset(),
        rejects=rejects,
        arguments=Signature(f"{name}_arguments", given),
        result=Signature(f"{name}_result", result),
        function=function,
    )


def _declining(tool: Tool, codes: Mapping[str, str]) -> Tool:
    """Return the tool that records refusals, taking the neutral codes; the table has those of the rules."""
    rules = {neutral: code for code, neutral in codes.items()}

    def decline_request(db: Any, **values: Any) -> dict[str, Any]:
        neutral = values["rule_code"]
        try:
            return {**tool.function(db, **{**values, "rule_code": rules[neutral]}), "rule_code": neutral}
        except Rejection as rejection:
            raise Rejection(rejection.kind, rejection.sentence.replace(rules[neutral], neutral)) from None

    listed: Any = Literal[tuple(sorted(rules))]
    code = Annotated[listed, "Code that the article in force states for refusals"]
    taken = {**tool.arguments.fields, "rule_code": (code, inspect.Parameter.empty)}
    return replace(tool, arguments=Signature(tool.arguments.name, taken), function=decline_request)
