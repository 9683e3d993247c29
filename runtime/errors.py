"""Every error of worldsmith, named for who must act on it.

WorldsmithError
├── Rejection          the agent: the rules forbid this call; kind and sentence are shown to the model
├── EnvironmentFault   us: a tool crashed; the episode is void, never counted as failed
├── StageFailed        the generator: output still misses its gate after every repair
│   └── KeywordRefused the person at the terminal: no world is made of this keyword
├── ModelFailed        the person who runs a model: it refused, was cut off, or could not be reached
└── UsageError         the person at the terminal: one line, exit code 2
    ├── BrokenDomain   the domain's author: one line per fault, each with its file
    └── MissingPackage the person who installed it: a package of an extra is not here, or too old
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

RejectionKind = Literal[
    "INVALID_ARGUMENT",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "FAILED_PRECONDITION",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
]
REJECTION_KINDS: tuple[RejectionKind, ...] = get_args(RejectionKind)


_LONGEST_SENTENCE = 2_000  # characters of a rejection: the agent reads all of it


class WorldsmithError(Exception):
    """What worldsmith raises on purpose."""


class Rejection(WorldsmithError):
    """The anticipated refusal of a call: a canonical kind and a sentence the agent can act on. It changes nothing."""

    def __init__(self, kind: RejectionKind, sentence: str) -> None:
        if kind not in REJECTION_KINDS:
            raise EnvironmentFault(f"A tool rejects with {kind!r}; have: {', '.join(REJECTION_KINDS)}.")
        if not isinstance(sentence, str):
            raise EnvironmentFault(f"A tool rejects with a {type(sentence).__name__}; a rejection is said in a text.")
        if len(sentence) > _LONGEST_SENTENCE:
            sentence = f"{sentence[:_LONGEST_SENTENCE]}..."
        super().__init__(f"{kind}: {sentence}")
        self.kind = kind
        self.sentence = sentence

    @classmethod
    def invalid_argument(cls, sentence: str) -> Rejection:
        """The argument could never be right, whatever the state."""
        return cls("INVALID_ARGUMENT", sentence)

    @classmethod
    def not_found(cls, sentence: str) -> Rejection:
        """What the call names does not exist."""
        return cls("NOT_FOUND", sentence)

    @classmethod
    def already_exists(cls, sentence: str) -> Rejection:
        """What the call would make exists already."""
        return cls("ALREADY_EXISTS", sentence)

    @classmethod
    def failed_precondition(cls, sentence: str) -> Rejection:
        """The state does not allow the call now."""
        return cls("FAILED_PRECONDITION", sentence)

    @classmethod
    def permission_denied(cls, sentence: str) -> Rejection:
        """The acting user may not do this."""
        return cls("PERMISSION_DENIED", sentence)

    @classmethod
    def resource_exhausted(cls, sentence: str) -> Rejection:
        """The call outgrew its budget."""
        return cls("RESOURCE_EXHAUSTED", sentence)


class EnvironmentFault(WorldsmithError):
    """A fault of ours: a tool crashed or broke its contract. The call is rolled back and the episode is void."""


class StageFailed(WorldsmithError):
    """A stage of the generator whose output still misses its gate after every repair."""


class KeywordRefused(StageFailed):
    """The screening says that no world may be made of a keyword; the message has its reason."""


class ModelFailed(WorldsmithError):
    """A model gave no usable answer: it refused, was cut off, or could not be reached. Finished work is kept."""

    usage: Any = None  # the Usage of the failed tries, where whoever raises it knows


class UsageError(WorldsmithError):
    """The person at the terminal asked for something that cannot be: one line that says what would be right."""


class BrokenDomain(UsageError):
    """A domain folder that cannot be served: one line per fault, each naming its file."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)


class MissingPackage(UsageError, ImportError):
    """A package that this part of worldsmith needs is not installed, or is too old; says what installs it."""
