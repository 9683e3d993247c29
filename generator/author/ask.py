"""Ask a model for an artifact until its gate is content, or the repairs are used up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from generator.author.stage import Stage
from generator.isolation.job import ProofFailed
from runtime.errors import ModelFailed, StageFailed, WorldsmithError
from runtime.model.choose import Models
from runtime.model.model import Answer, Request, Turn, total_usage

Artifact = TypeVar("Artifact", bound=BaseModel)
Result = TypeVar("Result")
Gate = Callable[[Artifact], Sequence[str]]
Review = Callable[[Artifact], Awaitable[Sequence[str]]]
Excerpt = Callable[[Artifact, Sequence[str]], Mapping[str, Any]]
_WHOLE = "Give the whole answer again, corrected."
_CUT = " What no complaint concerns is cut short in the earlier answer; it stays as it was."
MOST_COMPLAINTS = 40  # of one attempt; more would only repeat themselves


class AskingWatcher(Protocol):
    """Whoever wants to see how the asking goes."""

    def asked(self, request: Request) -> None:
        """A request is under way."""

    def answered(self, request: Request, answer: Answer | None) -> None:
        """It is over; None if no answer came."""

    def repaired(self, stage: str, key: str, complaints: Sequence[str]) -> None:
        """An answer missed its gate."""

    def began(self, stages: Sequence[Stage], number: int, count: int) -> None:
        """Some stages begin, side by side; `number` of all `count` are over."""

    def said(self, sentence: str) -> None:
        """Something a person should read."""


class CostSpent(ModelFailed):
    """The limit on the cost was reached; what was answered is kept."""


@dataclass(frozen=True)
class Question:
    """What a stage asks; `role` is who answers, where it is not the stage's own. `Request` explains the other parts.

    `narrow` makes the whole prompt of a repair from the answer so far and the complaints, with only what they concern.
    """

    stage: str
    key: str
    prompt: str
    prefix: str = ""
    role: str = ""
    repair: str = _WHOLE
    max_tokens: int = 32_000
    narrow: Callable[[Any, Sequence[str]], str] | None = None


@dataclass
class Asker:
    """What every stage needs to ask: who answers which role, how often a gate may complain, what it may cost."""

    models: Models
    watcher: AskingWatcher
    repairs: int = 3
    max_cost: float | None = None
    spent_beside: Callable[[], float] = lambda: 0.0  # by builds that share the limit
    spent: float = 0.0
    questions: int = 0  # about how many are asked in all
    asked: int = 0
    place: str = ""  # what every prompt ends with where an office is not American
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    async def send(self, request: Request) -> Answer:
        """Return one answer; errors: CostSpent before a request that the limit does not allow, ModelFailed.

        Under a limit, one request is under way at a time: no more than one answer can go beyond it.
        """
        if self.max_cost is None:
            return await self._sent(request)
        async with self._turn:
            return await self._sent(request)

    async def _sent(self, request: Request) -> Answer:
        if self.max_cost is not None and (spent := self.spent + self.spent_beside()) >= self.max_cost:
            raise CostSpent(
                f"${spent:.2f} were spent and --max-cost is ${self.max_cost:.2f}; "
                "run the same command with a higher one to go on from here."
            )
        self.asked += 1
        request = replace(request, number=self.asked, about=self.questions)
        self.watcher.asked(request)
        answer = None
        try:
            answer = await self.models.of(request.role).answer(request)
            self.spent += total_usage([answer.usage]).cost or 0.0
        finally:
            self.watcher.answered(request, answer)
        return answer


@dataclass(frozen=True)
class LastAnswer(Generic[Artifact]):
    """The last artifact that came, what its gate still complains of, and how often it was repaired."""

    artifact: Artifact
    complaints: tuple[str, ...]
    repairs: int

    def insist(self, what: str) -> Artifact:
        """Return the artifact; errors: StageFailed if its gate was never content."""
        if self.complaints:
            more = f" (and {len(self.complaints) - 1} more)" if len(self.complaints) > 1 else ""
            raise StageFailed(
                f"{what} still misses its gate after {self.repairs} repairs; a higher --repairs allows more. "
                f"It says: {self.complaints[0]}{more}"
            )
        return self.artifact


async def ask(
    asker: Asker,
    question: Question,
    into: type[Artifact],
    gate: Gate[Artifact],
    merge: Callable[[Artifact, Artifact], Artifact] | None = None,
    excerpt: Excerpt[Artifact] | None = None,
    review: Review[Artifact] | None = None,
    standing: Artifact | None = None,
) -> LastAnswer[Artifact]:
    """Ask, check, and send complaints back verbatim.

    With `merge`, a repair may hold only what changes: it is laid over what came before. `excerpt` cuts what came before
    down to what complaints concern.
    The gate may execute things; it runs on a thread of its own. `review` may complain, too, of what passes the gate; it
    may ask others. A `standing` artifact is checked first, and only repairs of it are asked for.
    """

    async def complaints_about(artifact: Artifact) -> tuple[str, ...]:
        found = tuple(await asyncio.to_thread(gate, artifact))
        return found or (tuple(await review(artifact)) if review is not None else ())

    def sent_back(content: Mapping[str, Any] | None) -> list[Turn]:
        """Return what counts: the answer as it stands now, repairs included, and what is wrong with it."""
        asker.watcher.repaired(question.stage, question.key, complaints)
        shown = complaints[:MOST_COMPLAINTS]
        if len(complaints) > len(shown):
            shown = (*shown, f"and {len(complaints) - len(shown)} more of the same kinds")
        return [Turn(_standing(artifact, content or {}, shown, excerpt), shown)]

    schema = _schema_of(into)
    turns: list[Turn] = []
    artifact: Artifact | None = standing
    complaints: tuple[str, ...] = ()
    if artifact is not None:
        complaints = await complaints_about(artifact)
        if not complaints:
            return LastAnswer(artifact, (), 0)
        turns = sent_back(None)
    for attempt in range(1, asker.repairs + 2):
        narrowed = question.narrow(artifact, complaints) if question.narrow and artifact is not None else ""
        request = Request(
            role=question.role or question.stage,
            stage=question.stage,
            key=question.key,
            attempt=attempt,
            prefix="" if narrowed else question.prefix,
            prompt=(narrowed or question.prompt) + asker.place,
            schema=schema,
            earlier=tuple(turns),
            repair=_WHOLE if artifact is None else question.repair + (_CUT if excerpt else ""),
            max_tokens=question.max_tokens,
        )
        answer = await asker.send(request)
        try:
            parsed = into.model_validate(answer.content)
        except ValidationError as error:
            complaints = tuple(_misfits(error, answer.content))
        else:
            artifact = parsed if artifact is None or merge is None else merge(artifact, parsed)
            complaints = await complaints_about(artifact)
        if not complaints:
            break
        turns = sent_back(answer.content)
    if artifact is None:
        raise StageFailed(f"Stage {question.stage} ({question.key}) got no usable answer: {complaints[0]}")
    return LastAnswer(artifact, complaints, attempt - 1)


def complaints_in(error: WorldsmithError) -> list[str]:
    """List what an error says of an answer; a crash of our own is not a complaint: it is raised again."""
    if isinstance(error, ProofFailed) and error.is_ours:
        raise error
    return str(error).splitlines()


async def side_by_side(tasks: Sequence[Awaitable[Result]]) -> list[Result]:
    """Return the results of independent questions, asked at once; the first error stops the others."""
    running = [asyncio.ensure_future(task) for task in tasks]
    try:
        return list(await asyncio.gather(*running))
    except BaseException:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        raise


def _schema_of(part: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema that a model is shown, without titles and docstrings: names and prompts say the same."""
    return dict(_untitled(part.model_json_schema()))


def _untitled(node: Any, *, names: bool = False) -> Any:
    """Return a node of a JSON Schema; with `names`, its keys are names of properties or definitions."""
    if isinstance(node, list):
        return [_untitled(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _untitled(value, names=not names and key in ("properties", "$defs"))
        for key, value in node.items()
        if names or key not in (("title", "description") if "properties" in node else ("title",))
    }


def entries_named(**fields: Sequence[str]) -> Callable[[BaseModel, Sequence[str]], Mapping[str, Any]]:
    """Return an excerpt in which entries of these lists that no complaint names are cut down to these fields."""

    def excerpt(artifact: BaseModel, complaints: Sequence[str]) -> Mapping[str, Any]:
        whole = artifact.model_dump(mode="json", exclude_defaults=True)
        for part, naming in fields.items():
            whole[part] = [
                entry
                if any(all(str(entry[field]) in complaint for field in naming) for complaint in complaints)
                else {field: entry[field] for field in naming}
                for entry in whole.get(part, [])
            ]
        return whole

    return excerpt


def _standing(
    artifact: Artifact | None,
    content: Mapping[str, Any],
    complaints: Sequence[str],
    excerpt: Excerpt[Artifact] | None,
) -> Mapping[str, Any]:
    if artifact is None:
        return content
    if excerpt is not None:
        return excerpt(artifact, complaints)
    return artifact.model_dump(mode="json", exclude_defaults=True)


def _misfits(error: ValidationError, content: Mapping[str, Any]) -> list[str]:
    return [
        f"{_named(fault['loc'], content) or 'the answer'}: {fault['msg'].removeprefix('Value error, ')}"
        for fault in error.errors(include_url=False)
    ]


def _named(place: Sequence[int | str], content: Any) -> str:
    """Return where a fault is: entries of a list by their names, as in `tools 'renew_loan', description`."""
    words: list[str] = []
    for step in place:
        try:
            content = content[step]
        except (LookupError, TypeError):
            content = None
        name = content.get("name") or content.get("title") or content.get("tool") if isinstance(content, dict) else None
        if isinstance(step, int):
            words[-1:] = [f"{words[-1]} {name!r}" if name and words else f"{''.join(words[-1:])}[{step}]"]
        else:
            words.append(step)
    return ", ".join(words)
