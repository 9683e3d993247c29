"""Make the candidate of a task's line again, so that it can be proven as it was when it was made."""

from __future__ import annotations

from dataclasses import replace

from generator.tasks.candidate import Candidate
from generator.tasks.compose import Composer
from generator.tasks.task_id import read_task_id
from generator.tasks.telling import Unfit
from runtime.errors import EnvironmentFault, UsageError
from runtime.task.task import Task
from runtime.task.task_file import task_line
from runtime.task.user import User
from runtime.verification.texts import says


def remake(composer: Composer, task: Task) -> Candidate:
    """The candidate whose line this is, byte for byte but for its words and what its proofs came to.

    Its words are those of the line, since a model may have put them otherwise. Errors: Unfit with the reason why the
    line is not what its number makes.
    """
    made_of = read_task_id(task.id)
    if made_of is None:
        raise Unfit("its id ends in no number of a made task")
    try:
        candidate = composer.compose_of(made_of)
    except Unfit as unfit:
        raise Unfit(f"of its number no task is made: {unfit}") from unfit
    except (EnvironmentFault, UsageError) as error:
        raise Unfit(f"of its number no task is made: {error}") from error
    own = candidate.task.model_copy(update={"proofs": task.proofs, "mistakes": task.mistakes, "easier": task.easier})
    own = own.model_copy(update={"user": _in_words_of(task.user, own.user)})
    if own.id != task.id:
        raise Unfit(f"its number makes {own.id!r}")
    if task_line(own) != task_line(task):
        differing = (name for name in Task.model_fields if getattr(own, name) != getattr(task, name))
        raise Unfit(f"its number makes a task with another {next(differing, 'line')}")
    return replace(candidate, task=own)


def _in_words_of(told: User, user: User) -> User:
    """A user with the words of another one, wish by wish, as far as they wish as often.

    Errors: Unfit if a wish does not say a fact any more.
    """
    if len(told.wishes) != len(user.wishes):
        return user
    wishes = []
    for wish, other in zip(user.wishes, told.wishes, strict=True):
        plain, words = wish.words[0], other.words[0]
        unsaid = [fact.said for fact in wish.facts if says(plain, fact.said) and not says(words, fact.said)]
        if words != plain and unsaid:
            raise Unfit(f"the words {words!r} do not say {unsaid[0]!r}")
        wishes.append(wish.model_copy(update={"words": other.words}))
    return user.model_copy(update={"wishes": wishes})
