"""Stage `screen`: whether a world of this keyword may be made (paper, impact statement)."""

from __future__ import annotations

from collections.abc import Sequence

from generator.build.ask import Asker, ask
from generator.build.design import Screening, schema_of
from generator.build.sources import Source, quote_sources
from generator.build.writing.prompts import prompt
from runtime.errors import KeywordRefused
from runtime.model.model import Request


async def screen(asker: Asker, keyword: str, sources: Sequence[Source], count: int) -> Screening:
    """The decision and its reason; errors: KeywordRefused."""
    question = Request(
        role="screen",
        stage="screen",
        key="keyword",
        attempt=1,
        prefix="",
        prompt=prompt("screen", keyword=keyword, count=count, sources=quote_sources(sources)),
        schema=schema_of(Screening),
        max_tokens=1_000,
    )
    screening = (await ask(asker, question, Screening, lambda _: ())).insist("The screening")
    if screening.decision == "no":
        raise KeywordRefused(f"No world is made of {keyword!r}: {screening.reason}")
    return screening
