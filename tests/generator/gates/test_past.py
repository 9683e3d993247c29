"""Whether worlds are held against their own tools and rules: planted pasts that could not have come about."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest

from generator.gates.folder import FolderRequest
from generator.gates.past.history import prove_past
from generator.gates.worlds import prove_worlds
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault
from runtime.session.world import make_world
from tests.conftest import LIBRARY, SHIPPED
from tests.generator.commands.test_mend import make_shed, spoil

LIVED = '''
def populate(world: WorldBuilder) -> None:
    """Neighbours and items, before anything happened."""
    neighbours = []
    for number in range(world.share(0.2, least=3)):
        neighbours.append(_add_neighbour(world, number, neighbours))
    for number in range(world.share(0.36, least=3)):
        world.insert("item", label=f"{world.random.choice(MARKS)} {world.random.choice(KINDS)} {number + 1}")


def days(office: Office) -> None:
    """Six weeks in which items are lent, extended and brought back."""
    neighbours = [row["neighbour_id"] for row in office.select("SELECT neighbour_id FROM neighbour")]
    items = [row["item_id"] for row in office.select("SELECT item_id FROM item")]
    for day in range(-42, 0):
        office.wait(office.moment(day, "10:00"))
        for lent in office.select("SELECT lending_id, due_on FROM lending WHERE status = 'out' ORDER BY lending_id"):
            chance = office.random.random()
            if chance < (0.6 if lent["due_on"] <= office.today else 0.05):
                office.call("take_back", lending_id=lent["lending_id"])
            elif chance < 0.7:
                office.call("extend_lending", lending_id=lent["lending_id"], days=2)
        for _ in range(1 + office.size // 80):
            often = neighbours[: 1 + len(neighbours) // 3] if office.random.random() < 0.7 else neighbours
            some = {"neighbour_id": office.random.choice(often), "item_id": office.random.choice(items)}
            office.call("lend_item", **some, days=office.random.randrange(3, 12))


'''
GARDEN = SHIPPED["community_garden"]


def test_the_library_could_have_come_about() -> None:
    report = prove_past(FolderRequest(LIBRARY))
    assert report.faults == []
    assert report.history.rules["BORROWING_PACE"].asked > 100
    assert "FORGIVEN_A_DAY: not asked of the past" in report.history.lines  # it depends on an amount that no row holds


def test_a_call_that_sets_two_listed_columns_is_judged_once() -> None:
    report = prove_past(FolderRequest(GARDEN))
    assert report.faults == []
    assert report.history.rules["SETTLEMENT_DEADLINE"].asked > 100  # settling sets a state and a method


def test_an_answer_is_judged_by_every_row_that_it_may_have_found() -> None:
    rule = prove_past(FolderRequest(SHIPPED["wedding_planning"])).history.rules["ANSWERS_STAND"]
    assert rule.asked > 40
    assert rule.forbidden == 0  # a meal was seen only where an answer was changed, which the rule forbids


def lived_shed(place: Path) -> Path:
    """The shed, whose past was rows, with one that it lives."""
    folder = make_shed(place)
    program, helper = (folder / "world.py").read_text().split("def _add_neighbour")
    program = program[: program.index("def populate")].replace("import WorldBuilder", "import Office, WorldBuilder")
    (folder / "world.py").write_text(f"{program}{LIVED}def _add_neighbour{helper}")
    return folder


def test_a_past_that_is_lived_is_one_that_tools_and_rules_allow(tmp_path: Path) -> None:
    (tmp_path / "planted").mkdir()
    planted = prove_past(FolderRequest(make_shed(tmp_path / "planted")))
    assert planted.missed == ["history"]  # rows that were made up break a rule
    folder = lived_shed(tmp_path)
    report = prove_past(FolderRequest(folder))
    assert report.faults == []
    assert report.history.rules["MOST_OUT"].asked > 100
    assert prove_worlds(FolderRequest(folder)).faults == []
    domain = load_domain(folder)
    world, again, other = (make_world(domain, seed, 300) for seed in (1, 1, 2))
    assert world.image == again.image != other.image
    with closing(world.open()) as connection:
        numbers = [int(key[-4:]) for (key,) in connection.execute("SELECT lending_id FROM lending")]
    assert max(numbers) == world.counter
    spoil(
        folder / "rules.py",
        '"MOST_OUT", on={"lend_item": "item_id"}, reads=["lending"], most=3',
        '"MOST_OUT", on={"lend_item": "item_id"}, reads=["lending"], most=2',
    )
    stricter = load_domain(folder)
    assert stricter.world_digest != domain.world_digest
    assert make_world(stricter, 1, 300).image != world.image


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "range(-42, 0)",
            "(-2, -2)",
            "waits until '2026-05-02 10:00:00'; that must be after '2026-05-02 10:00:00', and",
        ),
        (
            "range(-42, 0)",
            "range(-1, 2)",
            "that must be after '2026-05-04 10:00:00', and not after '2026-05-04 10:00:00'",
        ),
        (
            'office.wait(office.moment(day, "10:00"))',
            "day",
            "calls 'lend_item' before it has waited until a first moment",
        ),
    ],
    ids=["again", "too_late", "no_clock"],
)
def test_a_past_out_of_order_is_refused_in_a_sentence(tmp_path: Path, old: str, new: str, said: str) -> None:
    folder = lived_shed(tmp_path)
    spoil(folder / "world.py", old, new)
    with pytest.raises(EnvironmentFault, match=re.escape(said)):
        make_world(load_domain(folder), 1, 300)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "world.moment(day, f",
            "world.moment(day + 20, f",
            "hold.placed_at, which tools fill from the clock, is later",
        ),
        ("world.moment(back, ", "world.moment(began - 2, ", "loan.borrowed_on is later than loan.returned_at"),
        ("MOST_IN_A_FORTNIGHT = 3", "MOST_IN_A_FORTNIGHT = 7", "rule BORROWING_PACE: it would have forbidden"),
        ("MOST_WAITING = 3", "MOST_WAITING = 9", "rule HOLD_LIMIT: it would have forbidden"),
        ("began + 14 * (1 + renewals)", "began + 60 * (1 + renewals)", "rule RENEWAL_WINDOW: it would have forbidden"),
    ],
    ids=["future", "order", "pace", "limit", "undone"],
)
def test_a_past_that_tools_or_rules_forbid_is_named(library_copy: Path, old: str, new: str, fault: str) -> None:
    program = (library_copy / "world.py").read_text()
    assert old in program
    (library_copy / "world.py").write_text(program.replace(old, new))
    assert [each for each in prove_past(FolderRequest(library_copy)).faults if fault in each]
