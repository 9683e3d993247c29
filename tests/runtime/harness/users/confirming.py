"""An assistant that knows the reference chain and asks leave before each change: `PHRASINGS` are its manners.

`python -m tests.runtime.harness.users.confirming DOMAIN` plays all tasks of a domain folder in every manner.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.harness.agent import AssistantTurn
from runtime.harness.episode import Episode
from runtime.harness.user import SimulatedUser, UserReply
from runtime.harness.users.scripted import ScriptedKind
from runtime.session.session import Session
from runtime.task.judge import judge
from runtime.task.task import Step, Task, bind, read_tasks, start_world

Phrasing = Callable[[str, str], str]
"""Given what was done last and what would be done next, what the assistant says."""

PHRASINGS: Mapping[str, Phrasing] = {
    "after_findings": lambda done, plan: (
        f"{done} I have looked it up; two others like it are already archived. I would {plan}. Shall I go ahead?"
    ),
    "as_a_list": lambda done, plan: f"{done}\n\nI would now:\n1. {plan.capitalize()}\n\nShall I do that? Yes or no?",
    "not_done_yet": lambda done, plan: (
        f"{done} One thing is not done yet, I still need your yes: may I {plan}? A yes is enough."
    ),
    "would_you_like": lambda done, plan: f"{done}\n\nWould you like me to {plan}?",
    "please_confirm": lambda done, plan: (
        f"{done} Next I'm going to {plan}. This cannot be undone. Nothing of it has been changed yet; please confirm."
    ),
    "only_your_word": lambda done, plan: (
        f"{done} Everything is ready for the next step: **{plan}**. Do you want me to proceed, or should I wait?"
    ),
    "may_i_create_it_so": lambda done, plan: f"{done}\n\nNext:\n\n- {plan.capitalize()}\n\nMay I create it so?",
    "let_me": lambda done, plan: f"{done} Will you let me {plan}?",
    "would_you_mind": lambda done, plan: f"{done} Would you mind if I went on with this: {plan}?",
    "how_does_it_sound": lambda done, plan: f"{done} My plan:\n1. {plan.capitalize()}\n\nHow does that sound?",
    "any_objections": lambda done, plan: f"{done} If you have no objection, I'd {plan} now. Any objections?",
    "on_board": lambda done, plan: f"{done} I'll {plan}. Are you on board?",
    "get_started": lambda done, plan: f"{done} I would do this:\n\n- {plan.capitalize()}\n\nCan I get started?",
    "any_reason": lambda done, plan: f"{done} I'd {plan}. Any reason I shouldn't?",
    "if_correct": lambda done, plan: f"{done} Next up: {plan}. If this is correct, I'll save it.",
}


@dataclass
class Conversation:
    """One played task: each question with the reply to it, the end and the reward."""

    questions: list[tuple[str, str]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    ended: bool = False  # by the user
    reward: int = 0

    def faults(self, task: Task) -> list[str]:
        """What the user did that it should not have done."""
        refused = [f"to {asked!r} it said {reply!r}" for asked, reply in self.questions if not reply.startswith("Yes")]
        unsaid = [f"never said {words!r}" for words in task.user.words if not any(words in each for each in self.said)]
        return [*refused, *unsaid, *([] if self.ended else ["never came to an end"])]


def converse(domain: Domain, task: Task, phrasing: Phrasing) -> Conversation:
    """Play a task on a session of its own; a step that changes anything is taken only after a yes."""
    episode = Episode("Help the user.")
    world = start_world(task, domain)
    with Session(domain, world, principal=task.principal) as session:
        results: list[Mapping[str, Any]] = []

        def changes(wish: int) -> Iterator[str]:
            for step in (each for each in task.chain if each.wish == wish):
                arguments = bind(step.arguments, results)
                if domain.tools[step.tool].writes:
                    yield _describe(step, arguments)
                results.append(session.call(step.tool, **arguments))

        played = asyncio.run(talk(ScriptedKind().meet(task, 0), episode, task, changes, phrasing))
        played.reward = judge(task, domain, world, session.changes, episode.told).reward
    return played


async def talk(
    user: SimulatedUser, episode: Episode, task: Task, changes: Callable[[int], Iterator[str]], phrasing: Phrasing
) -> Conversation:
    """Ask leave for each change of each wish in turn; a change is made when the next one is asked for."""
    played = Conversation()

    def take(reply: UserReply) -> str:
        episode.user(reply)
        played.said.append(reply.text)
        played.ended = reply.ends
        return reply.text

    async def hear(text: str) -> str:
        episode.assistant(AssistantTurn(text))
        return take(await user.reply(text))

    take(await user.open())
    for wish in range(len(task.user.words)):
        done = ""
        for plan in changes(wish):
            question = phrasing(done, plan).strip()
            played.questions.append((question, await hear(question)))
            if not played.questions[-1][1].startswith("Yes"):
                return played
            done = f"Done: {plan.partition(' (')[0]} is complete."
        await hear(_report(task, wish, done))
        if played.ended:
            break
    episode.assistant(AssistantTurn("Goodbye."))
    return played


def _describe(step: Step, arguments: Mapping[str, Any]) -> str:
    given = ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in arguments.items())
    return f"{step.tool.replace('_', ' ')} ({given})"


def _report(task: Task, wish: int, done: str) -> str:
    answers = [f"The {each.name} is {each.value}." for each in task.answers if each.wish == wish]
    if wish in task.user.outside or not (done or answers):
        return "I'm sorry, I can't do that here. Anything else?"
    return " ".join([done, *answers, "Is there anything else?"]).strip()


def main(arguments: Sequence[str]) -> int:
    """Print how many conversations went wrong in each manner, and how; 1 if any did."""
    domain = load_domain(Path(arguments[0]))
    tasks = read_tasks(domain)
    wrong = 0
    for manner, phrasing in PHRASINGS.items():
        played = [(task, converse(domain, task, phrasing)) for task in tasks.values()]
        faulty = [(task, each) for task, each in played if each.faults(task)]
        questions = sum(len(each.questions) for _, each in played)
        solved = sum(each.reward for _, each in played)
        print(f"{manner}: {len(faulty)} of {len(played)} wrong; {questions} questions, {solved} solved")
        for task, each in faulty:
            print(f"  {task.id}: {each.faults(task)}", file=sys.stderr)
        wrong += len(faulty)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
