"""Answers that were given before, by stage, key and attempt; what is missing is asked for and written down."""

from __future__ import annotations

from runtime.errors import ModelFailed
from runtime.model.answer_book import AnswerBook
from runtime.model.fit import find_misfits
from runtime.model.model import Answer, Model, Request


class RecordedModel:
    """A book of answers in front of a model, or alone: `recorded`.

    The prompt is not compared, so a better prompt does not make a recording worthless. An answer that does not fit
    what is asked now counts as missing.
    """

    def __init__(self, book: AnswerBook, live: Model | None = None) -> None:
        self._book = book
        self._live = live

    @property
    def name(self) -> str:
        """The live model's, or `recorded`."""
        return "recorded" if self._live is None else self._live.name

    async def answer(self, request: Request) -> Answer:
        """Answer from the book, else ask and record; errors: ModelFailed if there is nobody to ask."""
        found = self._book.find(request.stage, request.key, request.attempt)
        misfits = [] if found is None else find_misfits(found.content, request.schema)
        if found is not None and not misfits:
            return found
        if self._live is None:
            question = f"{request.stage}/{request.key} attempt {request.attempt}"
            has = (
                f"an answer for {question} that does not fit ({misfits[0]})" if misfits else f"no answer for {question}"
            )
            raise ModelFailed(
                f"{self._book.path.name} has {has}; --model anthropic:MODEL or relay:DIR would ask for it."
            )
        answer = await self._live.answer(request)
        self._book.add(request, answer)
        return answer
