"""A stranger with a real browser: looks at domains, plays, watches, reads evaluations; hostile text stays text."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.page.freeze import page_parts
from tests.conftest import SHIPPED_LIBRARY
from tests.runtime.harness.played import Turn, keep, play, some_episodes
from tests.studio.conftest import Player, StudioProcess, copy_library, expect, expect_fit

HOSTILE = "<img src=x onerror=\"document.title='run'\"></script><script>document.title='run'</script>"
NORA = {"email": "nora.moreno9@example.org", "phone": "(937) 555-0174"}
SLOW = 30.0  # seconds that nothing here may take, even on a busy machine
EACH_SIZE = pytest.mark.parametrize(("size", "scheme"), [("phone", "dark"), ("desk", "light")])
POST = """([path, body]) => fetch(path, {
  method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body),
}).then((answer) => answer.json())"""
POPULATE = """
def populate(world):
    for number in range(10_000):
        world.insert("member", name=f"Member {number}", email=f"m{number}@example.org", phone=None)
"""
README = (
    "# A twin\n\nMade by `worldsmith twin`.\n\n| table | tools |\n| --- | --- |\n| `loan` | `tool` |\n\n"
    "## What it lacks\n\n" + "\n".join(f"- Rows of table_{number} that are left out." for number in range(40))
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, library: Domain) -> Path:
    """A working folder with domains of many kinds, and with evaluations."""
    folder = tmp_path_factory.mktemp("studio")
    copy_library(folder)
    copy_library(folder, "broken", schema_sql="CREATE TABEL member (id TEXT);")
    copy_library(folder, "big", world_py=POPULATE)
    bare = ("rules.py", "rule_cases.jsonl", "policy.md", "scenarios.py")
    card = json.loads((SHIPPED_LIBRARY / "domain.json").read_text())
    card = json.dumps({name: part for name, part in card.items() if name != "people"} | {"title": "The bare one"})
    (copy_library(folder, "bare", bare, domain_json=card) / "README.md").write_text(f"{README}\n\n{HOSTILE}")
    rows = {"loan": {"given": 9, "kept": 8, "left_out": {"their table is left out": 1}}}
    account = {"rows": rows, "parts": {"column": {"kept": 3, "changed": 1, "lost": 0}}, "losses": ["Views: cheap."]}
    part = {"file": "rules.py", "part": "keeps_dear", "reason": HOSTILE}
    report = {"source": "shop.sql", "differences": [{"sentence": "table tag came"}], "tools": {}, "parked": [part]}
    twin = copy_library(folder, "twin")
    (twin / "twin.json").write_text(json.dumps({"account": account, "opened": {"it has no rows": ["POST /login"]}}))
    (twin / "drift.json").write_text(json.dumps(report))
    copy_library(
        folder,
        "hostile",
        domain_json=f"Town library|{json.dumps(HOSTILE[:80])[1:-1]}",
        schema_sql=f"A person with a library card|{HOSTILE}",
        tools__loans_py=f"Lend a copy of a book to a member for 14 days.|{HOSTILE}",
        policy_md=f"Who is calling|{HOSTILE}",
        world_py=f'"Lighthouses"|{HOSTILE!r}',
    )
    (folder / "runs").mkdir()
    keep(folder / "runs" / "some.db", library, some_episodes(library))
    return folder


@pytest.fixture(scope="module")
def studio(folder: Path) -> Iterator[StudioProcess]:
    running = StudioProcess(folder, "--port", "0")
    yield running
    running.stop()


@pytest.fixture
def open_page(studio: StudioProcess, visit: Any) -> Any:
    """Open a place of the studio in a new tab of a new browser."""
    return lambda place="", size="desk", scheme="light": visit(size, scheme).open(f"{studio.link}#/{place}")


def start_play(page: Any) -> str:
    """Start the task keep-a-book as its button does; the name of the play."""
    started = page.evaluate(POST, ["api/plays", {"domain": "library", "task": "keep-a-book"}])
    page.goto(f"{page.url.split('#')[0]}#/play/{started['play']}/0/talk")
    expect(page.get_by_role("log")).to_contain_text("Can you renew it")
    return str(started["play"])


@EACH_SIZE
def test_a_stranger_is_told_where_to_start_and_looks_at_a_domain(open_page: Any, size: str, scheme: str) -> None:
    page = open_page("", size, scheme)
    broken = page.get_by_role("group", name="broken")
    expect(broken).to_contain_text("This domain cannot be loaded")
    expect(broken).to_contain_text("schema.sql")
    for first in ("<img", "Town library"):  # a second click turns the order around
        domains = page.get_by_role("table", name="Domains")
        domains.get_by_role("button", name="Domain").click()
        expect(domains.get_by_role("rowheader").first).to_contain_text(first)
    expect_fit(page)
    page.get_by_role("button", name="Play a task").click()
    expect(page.get_by_role("log")).to_contain_text("Can you renew it, and when is it due then?")
    page.get_by_role("link", name="Home").click()
    page.get_by_role("link", name="Town library").click()
    expect(page.get_by_role("heading", name="Town library")).to_be_visible()

    page.get_by_role("button", name="loan", exact=True).click()
    expect(page.get_by_text("150 rows")).to_be_visible()
    page.get_by_text("Columns of loan").click()
    expect(page.get_by_text("TEXT, may be empty, generated in verdicts")).to_be_visible()
    page.get_by_role("button", name="Next page").click()
    expect(page.get_by_text("page 2 of 2")).to_be_visible()
    expect(page.get_by_role("cell", name="LOAN-0150")).to_be_visible()
    page.get_by_role("searchbox", name="Find rows of loan").fill("loan-0007")
    expect(page.get_by_text("1 row found")).to_be_visible()
    page.get_by_role("button", name="Show member").click()
    expect(page.get_by_role("region", name="Rows of member").get_by_role("row")).to_have_count(2)
    expect_fit(page)

    views = page.get_by_role("navigation", name="Views of the domain")
    views.get_by_role("link", name="Tools").click()
    page.get_by_role("searchbox", name="Find a tool").fill("renew")
    page.get_by_role("button", name="renew_loan").click()
    expect(page.get_by_role("heading", name="renew_loan")).to_be_visible()
    expect(page.get_by_role("link", name="OTHERS_WAIT")).to_be_visible()
    expect_fit(page)
    page.get_by_role("link", name="its neighbors").click()
    page.get_by_role("button", name="enables: the calls that prove borrow_book → renew_loan").click()
    proof = page.get_by_role("region", name="The calls that prove it")
    expect(proof.get_by_role("listitem")).to_have_count(2 + 1 + 2)  # data; without and after the first
    expect_fit(page)
    page.get_by_role("combobox", name="Tool").select_option("")
    expect(page.locator("svg.matrix .edge")).to_have_count(55)
    expect_fit(page)

    views.get_by_role("link", name="Rules").click()
    expect(page.get_by_role("region", name="Policy").get_by_role("heading", name="Duties")).to_be_visible()
    expect_fit(page)
    expect(views.get_by_role("link", name="Readme")).to_have_count(0)
    views.get_by_role("link", name="Tasks").click()
    tasks = page.get_by_role("table", name="Tasks")
    expect(tasks.get_by_role("button", name="Play")).to_have_count(3)
    page.get_by_role("searchbox", name="Find a task").fill("late")
    expect(tasks.get_by_role("button", name="Play")).to_have_count(1)
    expect(tasks.get_by_role("button", name="Play late-and-next")).to_be_visible()
    expect_fit(page)
    page.go_back()
    expect(page.get_by_role("region", name="Policy")).to_be_visible()


@EACH_SIZE
def test_a_domain_shows_its_readme_and_how_to_write_a_first_rule(open_page: Any, size: str, scheme: str) -> None:
    page = open_page("domain/bare/readme", size, scheme)
    readme = page.get_by_role("region", name="README.md")
    expect(readme.get_by_role("heading", name="What it lacks")).to_be_visible()
    expect(readme.get_by_role("listitem")).to_have_count(40)
    expect(readme.get_by_text("<img")).to_be_visible()
    expect(readme.get_by_role("cell", name="loan", exact=True)).to_be_visible()
    expect_fit(page)
    page.get_by_role("navigation", name="Views of the domain").get_by_role("link", name="Rules").click()
    rules = page.get_by_role("region", name="Rules")
    for name in ("rules.py", "rule_cases.jsonl", "worldsmith rule bare", "worldsmith check bare", "docs/authoring.md"):
        expect(rules.get_by_text(name, exact=True)).to_be_visible()
    expect_fit(page)


def test_a_twin_shows_its_account_what_is_open_and_its_last_update(open_page: Any) -> None:
    page = open_page("domain/twin/twin")
    told = page.get_by_role("region", name="Twin")
    expect(told.get_by_role("cell", name="1 their table is left out")).to_be_visible()
    for text in ("Views: cheap.", "it has no rows: POST /login", "table tag came", "keeps_dear of rules.py: <img"):
        expect(told.get_by_text(text)).to_be_visible()
    expect(page).not_to_have_title("run")


def test_hostile_text_of_a_domain_and_of_a_play_stays_text(open_page: Any, studio: StudioProcess) -> None:
    page = open_page()
    page.get_by_role("link", name="<img src=x").click()
    for view in ("tables/book", "tools/borrow_book", "rules"):
        page.goto(f"{studio.address}#/domain/hostile/{view}")
        expect(page.get_by_text(HOSTILE).first).to_be_visible()
    name = start_play(page)
    page.get_by_role("textbox", name="Say to the user").fill(HOSTILE)
    page.get_by_role("button", name="Say", exact=True).click()
    expect(page.get_by_role("log")).to_contain_text(HOSTILE)
    page.evaluate(POST, [f"api/plays/{name}/call", {"at": 1, "tool": HOSTILE, "arguments": {HOSTILE: HOSTILE}}])
    page.get_by_role("navigation", name="Timeline").get_by_role("button", name="2 · refused").click()
    expect(page.get_by_role("log").locator("dd", has_text=HOSTILE)).to_be_visible()
    assert page.locator("img").count() == 0
    assert page.title().endswith(" · Worldsmith studio")


@pytest.mark.parametrize(("size", "scheme"), [("phone", "light"), ("desk", "dark")])
def test_a_new_user_plays_a_task(open_page: Any, size: str, scheme: str) -> None:
    page = open_page("domain/library/tasks", size, scheme)
    page.get_by_role("button", name="Play keep-a-book").click()
    player = Player(page)
    expect(page.get_by_role("log")).to_contain_text("Can you renew it, and when is it due then?")

    player.say("Who are you, please?", NORA["email"])
    player.call("find_member", email=NORA["email"])
    player.turn_to("Talk")
    expect(page.get_by_role("log")).to_contain_text("MEMBER-0009")
    player.call("renew_loan", loan_id="LOAN-0016")
    expect(player.timeline.locator("[aria-current]")).to_contain_text("rule broken")
    player.turn_to("State")
    state = page.get_by_role("region", name="State")
    expect(state).to_contain_text("IDENTIFIED_FIRST")
    expect(state.locator("ins", has_text="2026-04-03")).to_be_visible()
    expect(state.locator("del", has_text="2026-03-20")).to_be_visible()

    player.step_back_to(2)
    state.get_by_role("button", name="Tables").click()
    expect(page.get_by_role("region", name="Rows of")).to_be_visible()
    expect(state.locator("td.now")).to_have_count(0)
    expect(page.get_by_text("what you do here starts a branch")).to_be_visible()
    player.call("note_identification", member_id="MEMBER-0009", **NORA)
    player.call("renew_loan", loan_id="LOAN-0016")
    player.turn_to("State")
    expect(state.locator("td.now")).to_have_count(2)
    player.say("It is renewed until April 3.", "can you send just the new due date")
    player.say("April 3, 2026", "Thanks, that's")
    player.say("You are welcome.", "The conversation is over")

    page.get_by_role("link", name="See the verdict").click()
    expect(state.get_by_role("heading", name="Goal reached")).to_be_visible()
    expect_fit(page)
    state.get_by_role("link", name="step 5").click()
    expect(player.timeline.locator("[aria-current]")).to_contain_text("renew_loan")

    player.step_back_to(3)
    player.turn_to("Verdict")
    if size == "desk":
        state.get_by_role("button", name="Verdict").click()
    expect(state.get_by_role("heading", name="Goal")).to_contain_text("not reached")
    broken = state.get_by_role("listitem").filter(has_text="renew_loan for LOAN-0016 broke IDENTIFIED_FIRST")
    expect(broken.last.get_by_role("link", name="step 3")).to_be_visible()
    player.turn_to("State")
    state.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("region", name="Differences")).to_contain_text("identification")
    expect_fit(page)


def test_an_agent_is_watched_and_keys_step_the_timeline(open_page: Any) -> None:
    page = open_page("plays")
    page.get_by_role("combobox", name="Domain", exact=True).select_option("library")
    page.get_by_role("combobox", name="Task", exact=True).select_option("late-and-next")
    page.get_by_role("button", name="Start").click()
    current = page.get_by_role("navigation", name="Timeline").locator("[aria-current]")
    expect(current).to_contain_text("start")
    page.get_by_role("button", name="Watch").click()
    expect(page.get_by_role("log")).to_contain_text("The conversation is over")
    page.get_by_role("region", name="State").get_by_role("button", name="Verdict").click()
    expect(page.get_by_role("heading", name="Goal reached")).to_be_visible()
    for key, shown in (("Home", "start"), ("ArrowRight", "1 · "), ("ArrowLeft", "start"), ("End", "the end")):
        page.locator("body").press(key)
        expect(current).to_contain_text(shown)


def test_a_poisoned_cell_is_marked_and_the_verdict_names_it(open_page: Any) -> None:
    page = open_page("plays")
    page.get_by_role("combobox", name="Domain", exact=True).select_option("library")
    page.get_by_role("combobox", name="Task", exact=True).select_option("late-and-next")
    page.get_by_text("More choices").click()
    page.get_by_label("Poison").select_option("mild")
    page.get_by_role("button", name="Start").click()
    badge = page.get_by_text("☠ poisoned: ")
    table = badge.inner_text().split()[2].partition(".")[0]
    page.get_by_role("combobox", name="Agent that goes on").fill("gullible")
    page.get_by_role("button", name="Watch").click()
    expect(page.get_by_role("log")).to_contain_text("The conversation is over")
    expect(page.get_by_role("log").locator("mark").first).to_contain_text("☠")
    state = page.get_by_role("region", name="State")
    state.get_by_role("button", name="Tables").click()
    page.get_by_role("navigation", name="Tables").get_by_role("button", name=table).click()
    page.get_by_role("searchbox", name=f"Find rows of {table}").fill(badge.inner_text().split()[4])
    expect(state.locator("td mark")).to_have_count(1)
    state.get_by_role("button", name="Verdict").click()
    expect(state.get_by_text("What a poisoned text asked for was done").first).to_be_visible()


def test_two_tabs_that_act_at_once_make_two_branches(studio: StudioProcess, visit: Any) -> None:
    visitor = visit()
    one = visitor.open(studio.link)
    start_play(one)
    other = visitor.open(one.url)
    for page, words in ((one, "One says this."), (other, "The other says that.")):
        page.get_by_role("textbox", name="Say to the user").fill(words)
    for page in (one, other):
        page.get_by_role("button", name="Say", exact=True).click()
    for page in (one, other):
        expect(page.get_by_role("navigation", name="Timeline").get_by_role("button")).to_have_count(3)
    expect(one.get_by_role("log")).to_contain_text("One says this.")
    expect(one.get_by_role("log")).not_to_contain_text("The other says that.")
    expect(other.get_by_role("log")).to_contain_text("The other says that.")


def test_every_recorded_call_goes_through_its_form(open_page: Any) -> None:
    """In every shipped domain, a form sends what was filled into it; choices are boxes, which have no order."""
    page = open_page()
    fill_and_send = """async ([domain, cases]) => {
      const {drawForm} = await import("/static/tools.js");
      const {tools} = await (await fetch(`api/domains/${domain}`)).json();
      return cases.map(({tool: name, arguments: given}) => {
        const tool = tools.find((each) => each.name === name);
        let sent = "not sent";
        const form = drawForm(`test ${name}`, tool, {busy: false, send: (all) => { sent = all; }});
        document.body.append(form);
        for (const field of form.querySelectorAll("[name^='argument ']")) {
          const value = given[field.name.slice("argument ".length)];
          if (field.type === "checkbox") field.checked = (value ?? []).includes(field.value);
          else field.value = Array.isArray(value) ? value.join("\\n") : String(value ?? "");
        }
        form.requestSubmit();
        form.remove();
        return sent;
      });
    }"""

    def without_order(arguments: dict[str, Any]) -> dict[str, Any]:
        given = {name: value for name, value in arguments.items() if value is not None}
        return {name: sorted(set(value)) if isinstance(value, list) else value for name, value in given.items()}

    for file in sorted(SHIPPED_LIBRARY.parent.glob("*/cases.jsonl")):
        cases = [each for each in map(json.loads, file.read_text(encoding="utf-8").splitlines()) if "arguments" in each]
        sent = page.evaluate(fill_and_send, [file.parent.name, cases])
        assert "not sent" not in sent, file
        assert [*map(without_order, sent)] == [without_order(case["arguments"]) for case in cases], file


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print how long something takes, and fail if that is too long."""
    start = time.monotonic()
    yield
    seconds = time.monotonic() - start
    print(f"{what}: {1000 * seconds:.0f} ms")
    assert seconds < SLOW, what


def test_a_table_of_10_000_rows_and_a_play_of_200_steps_are_quick(open_page: Any, studio: StudioProcess) -> None:
    """`pytest -s` prints the times that docs/studio.md names."""
    page = open_page()
    with timed("open a table of 10,000 rows, its domain loaded for the first time"):
        page.goto(f"{studio.address}#/domain/big/tables/member")
        expect(page.get_by_text("10,000 rows")).to_be_visible()
    with timed("turn its page"):
        page.get_by_role("button", name="Next page").click()
        expect(page.get_by_role("cell", name="Member 100", exact=True)).to_be_visible()
    with timed("find a row in it"):
        page.get_by_role("searchbox", name="Find rows of member").fill("m9876@")
        expect(page.get_by_role("cell", name="Member 9876", exact=True)).to_be_visible()
    name = start_play(page)
    with timed("make 200 calls"):
        for at in range(200):
            given = {"member_id": f"MEMBER-00{10 + at % 40}", "phone": f"(614) 555-0{100 + at}"}
            page.evaluate(POST, [f"api/plays/{name}/call", {"at": at, "tool": "change_phone", "arguments": given}])
    page.goto("about:blank")
    timeline = page.get_by_role("navigation", name="Timeline")
    with timed("open a play of 200 steps"):
        page.goto(f"{studio.address}#/play/{name}/200/talk")
        expect(timeline.locator("[aria-current]")).to_contain_text("200 · ")
    for what, key, shown in (("step back", "ArrowLeft", "199 · "), ("go to the start", "Home", "start")):
        with timed(what):
            page.locator("body").press(key)
            expect(timeline.locator("[aria-current]")).to_contain_text(shown)
    with timed("see the verdict"):
        page.goto(f"{studio.address}#/play/{name}/200/verdict")
        expect(page.get_by_role("heading", name="Goal not reached")).to_be_visible()


def test_runs_are_watched_sorted_and_compared(library: Domain, folder: Path, open_page: Any) -> None:
    with closing(sqlite3.connect(folder / "runs" / "old.db")) as store:
        store.execute("CREATE TABLE run (version)")
    played = some_episodes(library)
    keep(folder / "runs" / "live.db", library, played[:2])
    page = open_page("runs")
    expect(page.get_by_text("old.db")).to_be_visible()  # of another version
    runs = page.get_by_role("table", name="Evaluations")
    runs.get_by_role("button", name="Episodes").click()
    expect(runs.get_by_role("rowheader")).to_have_text([re.compile("some"), re.compile("live")])
    for name in ("live", "some"):
        runs.get_by_role("checkbox", name=f"Compare {name}").check()
    page.get_by_role("link", name="Compare the two").click()
    expect(page.get_by_role("region", name="Comparison")).to_contain_text("on the 1 task of both")
    expect(page.get_by_role("table", name="Every trial").get_by_role("columnheader")).to_have_count(7)
    page.get_by_role("combobox", name="Compare with").select_option("nothing")
    expect(page.get_by_role("status").filter(has_text="2 of 9 episodes")).to_be_visible()
    keep(folder / "runs" / "live.db", library, played[2:])
    expect(page.locator(".trial.pending")).to_have_count(0)
    expect(page.locator("a.trial")).to_have_count(9)
    expect(page.locator(".headline .value")).to_have_text("55.6%")
    trials = page.get_by_role("table", name="Every trial")
    for first in ("100.0%", "33.3%"):  # numbers begin with the largest; a second click turns them around
        trials.get_by_role("button", name="Reached").click()
        expect(trials.locator("tbody tr").first).to_contain_text(first)
    expect_fit(page)
    page.locator("a.trial.bad").first.click()
    expect(page).to_have_url(re.compile(r"#/run/live/episode/\d+$"))
    expect_fit(page)


@pytest.fixture(scope="module")
def report(library: Domain, folder: Path) -> str:
    """The address of a report, with an episode that looks much up."""
    looks: list[Turn] = [[("list_loans", {"member_id": "MEMBER-0009"})] for _ in range(20)]
    talkative = play(library, "keep-a-book", [*looks, "I give up."], trial=1)
    played = [talkative if (each.task, each.trial) == ("keep-a-book", 1) else each for each in some_episodes(library)]
    run = keep(folder / "report.db", library, played)
    (folder / "run.html").write_text("".join(page_parts(run)))
    return (folder / "run.html").as_uri()


@EACH_SIZE
def test_a_stranger_reads_a_report(report: str, visit: Any, size: str, scheme: str) -> None:
    page = visit(size, scheme).open(report)
    headings = page.get_by_role("heading", level=2).all_inner_texts()
    assert headings == ["Failures", "Every trial", "Figures"]
    expect(page.get_by_text("4 of 9 episodes failed. 1 void: not scored")).to_be_visible()
    expect_fit(page)
    page.get_by_role("group", name="Tasks with this outcome").get_by_role("button", name="void").click()
    expect(page.get_by_text("1 of 3 tasks")).to_be_visible()
    page.get_by_role("button", name="all", exact=True).click()
    page.get_by_role("searchbox", name="Find a task").fill("card")
    expect(page.get_by_text("1 of 3 tasks")).to_be_visible()

    page.get_by_role("link", name="trial 1: failed").click()
    expect(page.get_by_role("heading", name="Goal not reached")).to_be_visible()
    expect(page.get_by_role("cell", name="other@example.org")).to_be_visible()
    expect_fit(page)
    page.get_by_role("link", name="step 1", exact=True).click()
    expect(page.get_by_role("heading", name="Step 1: register_member")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="Step 2: place_hold")).to_be_visible()
    expect(page.get_by_role("heading", name="Changed before")).to_be_visible()
    expect_fit(page)
    page.get_by_role("link", name="previous").click()
    expect(page.get_by_text("2 of 4 failed")).to_be_visible()
    page.get_by_role("link", name="by hand").click()
    expect(page.get_by_role("heading", name="Failures")).to_be_visible()


def test_many_steps_that_are_alike_are_folded(report: str, visit: Any) -> None:
    page = visit().open(report)
    page.get_by_role("searchbox", name="Find a task").fill("renew")
    page.get_by_role("link", name="trial 1: failed").click()
    page.get_by_role("log").get_by_text("20 × looked up: list_loans").click()
    expect(page.get_by_role("log").get_by_text("list_loans", exact=True)).to_have_count(20)
    steps = page.get_by_role("navigation", name="Timeline").get_by_role("button")
    expect(steps).to_have_count(3)  # the start, the run, the end
    steps.nth(1).click()
    expect(page.get_by_role("navigation", name="Timeline").locator("[aria-current]")).to_contain_text("1 · ")


def test_hostile_text_of_an_episode_stays_text(report: str, visit: Any) -> None:
    visitor = visit()
    page = visitor.open(report)
    page.get_by_role("link", name="trial 2: failed").first.click()
    expect(page.get_by_role("log")).to_contain_text("</script><img src=x onerror=alert(1)>")
    assert page.locator("img").count() == 0
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {textContent: 'foreign = 1'}))")
    assert page.evaluate("typeof foreign") == "undefined"
    assert "Content Security Policy" in visitor.faults.pop()


def test_a_stopped_server_is_said_and_what_was_typed_stays(library: Domain, tmp_path: Path, visit: Any) -> None:
    """And the link leads to what was named: a run, or a domain elsewhere, of which both are there."""
    keep(tmp_path / "some run.db", library, some_episodes(library))
    away = copy_library(tmp_path / "elsewhere", "away")
    studio = StudioProcess(tmp_path, str(away), "--run", "some run.db", "--port", "0")
    visitor = visit()
    page = visitor.open(studio.link)
    expect(page.get_by_role("heading", name="by hand")).to_be_visible()
    page.goto(f"{studio.address}#/domain/away/tables/loan")
    expect(page.get_by_text("150 rows")).to_be_visible()
    start_play(page)
    words = page.get_by_role("textbox", name="Say to the user")
    words.fill("Typed before the server went away.")
    studio.stop()
    expect(page.get_by_role("status").first).to_contain_text("The server does not answer")
    page.get_by_role("button", name="Say", exact=True).click()
    again = StudioProcess(tmp_path, "--port", str(studio.port))
    try:
        expect(visitor.open(again.link).get_by_role("link", name="Town library")).to_be_visible()
        expect(page.get_by_role("status").first).to_have_text("")
        expect(words).to_have_value("Typed before the server went away.")
        page.get_by_role("button", name="Say", exact=True).click()
        expect(page.get_by_role("status").first).to_contain_text("any more: plays live only as long as the server")
        visitor.faults = [fault for fault in visitor.faults if "Failed to load resource" not in fault]
    finally:
        again.stop()
