// One play: tools and forms left, the state in the middle, the conversation right, under the timeline.

import {startPlay} from "./home.js";
import {html, nothing} from "./lit-html.js";
import {drawMarkdown} from "./markdown.js";
import {attempt, draw, drawChoices, go, link, memory, post, read, readLatest, refresh, remember, state, whenRead} from "./page.js";
import {drawTables} from "./tables.js";
import {drawAnswer, drawGiven, drawTalk} from "./talk.js";
import {describeStep, drawTimeline, endAfter, endsOf, pathTo, stepByKeys} from "./timeline.js";
import {drawTools, useValue} from "./tools.js";
import {drawRows, drawVerdict, drawViolation, rowsOf, summarize} from "./verdict.js";

const AGENTS = ["reference", "careful", "blind", "random", "parrot", "idle"];
const PACE = 900; // milliseconds between the steps of an agent that is watched
const PANELS = [
  {name: "talk", title: "Talk"},
  {name: "tools", title: "Tools"},
  {name: "state", title: "State"},
  {name: "verdict", title: "Verdict"},
];

const MEMORY = { // of a play
  view: "step", table: null, find: "", page: 0, only: false, other: null,
  tool: null, findTool: "", busy: "", pending: "", agent: "reference", watching: false,
};

/** A play at a step: #/play/PLAY/STEP/PANEL. */
export function drawPlay([, name, number, panel = "talk"]) {
  return whenRead(pathOf(name), (play) =>
    whenRead(`api/domains/${encodeURIComponent(play.domain)}`, (domain) => {
      const at = number in play.steps ? Number(number) : play.steps.length - 1;
      return drawBench({play, domain, at, panel, memo: memory(`play ${name}`, MEMORY), path: pathTo(play.steps, at)});
    }));
}

function pathOf(name) {
  return `api/plays/${encodeURIComponent(name)}`;
}

function verdictPath(play, at) {
  return `${pathOf(play.play)}/verdict?at=${at}`;
}

function drawBench(bench) {
  const {play, at, panel, memo} = bench;
  const middle = panel === "verdict" ? "verdict" : memo.view;
  return html`
    ${drawHead(bench)}
    ${drawTimeline(play.play, play.steps, at, (step) => show(bench, step))}
    <div class="panels">${drawChoices("Panels", PANELS, panel, (each) => show(bench, at, each))}</div>
    <div class="columns" data-panel=${panel}>
      <section class="column tools-column" aria-label="Tools">${drawToolColumn(bench)}</section>
      <section class="column state-column" aria-label="State">${drawMiddle(bench, middle)}</section>
      <section class="column talk-column" aria-label="Conversation">${drawTalkColumn(bench)}</section>
    </div>`;
}

/** Go to a step, and to a panel where the page shows one at a time. */
function show({play, panel}, step, toPanel = panel) {
  go(link("play", play.play, step, toPanel), true);
}

// the head: what is played, where one is, and an agent that goes on

function drawHead(bench) {
  const {play, domain, at, memo} = bench;
  const isBehind = play.steps.length > 1 && endAfter(play.steps, at) !== at;
  return html`<div class="bench-head">
    <h1>${play.title}</h1>
    <a class="muted" href=${link("domain", domain.name, "tables")}>${domain.title}</a>
    ${play.level === null ? nothing : html`<span class="badge">level ${play.level}</span>`}
    ${play.forms.map((form) => html`<span class="badge" title="What makes the task hard">${form}</span>`)}
    ${isBehind ? html`<span class="badge now">↳ step ${at}: what you do here starts a branch</span>` : nothing}
    <span class="grow"></span>
    ${play.task === null ? nothing : drawAgent(bench)}
    ${play.steps.length > 1 ? html`<a class="button" href=${link("save", "play", play.play, at)}>Make a task of it</a>` : nothing}
    <button type="button" title="Play it again from the start, as a new play" @click=${() => startAgain(play)}>Start over</button>
  </div>`;
}

function drawAgent(bench) {
  const {memo, path} = bench;
  const isOver = path.at(-1).done;
  return html`<span class="row agent" role="group" aria-label="Agent"><span class="muted">Agent</span>
    <input list="agents" aria-label="Agent that goes on" title="reference, careful, random, ..., openai:MODEL, anthropic:MODEL"
      .value=${memo.agent} @change=${(event) => remember(memo, {agent: event.target.value.trim() || "reference"})}>
    <datalist id="agents">${AGENTS.map((name) => html`<option value=${name}></option>`)}<option value="openai:MODEL"></option><option value="anthropic:MODEL"></option></datalist>
    <button type="button" ?disabled=${isOver || memo.busy !== ""} title="The agent does one thing" @click=${() => watchOnce(bench)}>Step</button>
    ${memo.watching
      ? html`<button type="button" class="primary" @click=${() => remember(memo, {watching: false})}>❚❚ Pause</button>`
      : html`<button type="button" ?disabled=${isOver || memo.busy !== ""} title="The agent goes on until the end" @click=${() => watchOn(bench)}>▶ Watch</button>`}
  </span>`;
}

function startAgain({domain, task, user, policy, seed}) {
  return startPlay(task === null ? {domain, policy} : {domain, task, user, policy, seed});
}

// what is done: each act leads to a new step

async function act({play, panel, memo}, kind, body, pending) {
  if (memo.busy) return undefined;
  remember(memo, {busy: kind, pending});
  const done = await attempt(() => post(`${pathOf(play.play)}/${kind}`, body));
  Object.assign(memo, {busy: "", pending: ""});
  draw();
  if (!done) return undefined;
  const step = takeStep(play, done.step);
  const [changed] = step.cells;
  if (changed) Object.assign(memo, {table: changed.table, page: 0, find: ""});
  if (memo.view === "compare") memo.view = "step";
  const {route} = state;
  if (route[0] === "play" && route[1] === play.play) show({play, panel: route[3] ?? panel}, step.number);
  return step;
}

/** Add a step to what is known of a play, which is read anew where steps before it are missing. */
function takeStep(play, step) {
  if (step.number > play.steps.length) refresh(pathOf(play.play));
  else play.steps[step.number] ??= step;
  return step;
}

/** Take an event of the server about a play: a step that some page of this browser, or an agent, made. */
export function takePlayEvent({play, step}) {
  const known = state.memory?.[`play ${play}`] && read(pathOf(play)).value;
  if (known) takeStep(known, step);
  else refresh("api/plays");
}

function call(bench, tool, given) {
  return act(bench, "call", {at: bench.at, tool, arguments: given}, "");
}

async function speak(bench, form) {
  const text = form.elements.text.value;
  if (!text.trim()) return;
  const step = await act(bench, "say", {at: bench.at, text}, text);
  if (step) form.reset();
}

function watchOnce(bench) {
  return act(bench, "watch", {at: bench.at, agent: bench.memo.agent}, "");
}

async function watchOn(bench) {
  const {memo, play} = bench;
  remember(memo, {watching: true});
  let at = bench.at;
  while (memo.watching) {
    const step = await act(bench, "watch", {at, agent: memo.agent}, "");
    if (!step || step.done) break;
    at = step.number;
    await new Promise((resolve) => setTimeout(resolve, PACE));
    if (state.route[1] !== play.play || Number(state.route[2]) !== at) break; // the person looks at something else
  }
  remember(memo, {watching: false});
}

// left: tools

function drawToolColumn(bench) {
  const {play, domain, memo, path} = bench;
  const last = path.at(-1);
  return html`
    ${last.done ? html`<p class="card muted">■ The conversation is over. Step back to do something else.</p>` : nothing}
    ${last.kind === "call" && bench.panel === "tools" ? drawOutcome(bench, last) : nothing}
    ${drawTools(`play ${play.play}`, domain.tools, {tool: memo.tool, find: memo.findTool, busy: memo.busy !== "" || last.done}, {
      choose: (tool) => remember(memo, {tool, findTool: ""}),
      find: (findTool) => remember(memo, {findTool}),
      send: (tool, given) => call(bench, tool, given),
    })}`;
}

/** What came of the last call, where the page shows the tools alone. */
function drawOutcome(bench, step) {
  const {mark, note, kind} = describeStep(step);
  const said = step.refused ? step.replies.map((reply) => reply.text).join(" ") : kind === "looked" ? "answered." : `${note}.`;
  return html`<p class=${`outcome ${kind}`} role="status"><span aria-hidden="true">${mark}</span> ${step.tool}: ${said}
    <a href=${link("play", bench.play.play, bench.at, "state")}>See its answer</a></p>`;
}

// in the middle: what changed, the tables, the verdict, another branch

function drawMiddle(bench, view) {
  const {play, at, memo} = bench;
  const judged = play.task === null ? undefined : readLatest(`verdict of ${play.play}`, verdictPath(play, at));
  const views = [
    {name: "step", title: `Step ${at}`},
    {name: "tables", title: "Tables"},
    ...(judged ? [{name: "verdict", title: verdictTitle(judged.value)}] : []),
    ...(endsOf(play.steps).length > 1 ? [{name: "compare", title: "Compare"}] : []),
  ];
  const choose = (name) => {
    if (name !== "verdict") memo.view = name;
    show(bench, at, name === "verdict" ? "verdict" : bench.panel === "verdict" ? "state" : bench.panel);
  };
  return html`
    <div class=${`state-views ${view === "verdict" ? "shows-verdict" : ""}`}>${drawChoices("Views of the state", views, view, choose)}</div>
    ${view === "tables" ? drawTableView(bench)
      : view === "verdict" ? drawVerdictView(bench, judged)
      : view === "compare" ? drawCompare(bench)
      : drawStepView(bench)}`;
}

function verdictTitle(verdict) {
  if (!verdict) return "Verdict";
  return html`Verdict <span class=${`badge ${summarize(verdict).kind}`}>${summarize(verdict).mark} ${Math.round(verdict.progress * 100)} %</span>`;
}

function drawVerdictView({play, domain, path}, judged) {
  if (!judged) return html`<p class="muted">No task is played: nothing is expected, so nothing is judged.</p>`;
  if (!judged.value) return html`<p class=${judged.error ? "failure" : "muted waiting"}>${judged.error ?? "Loading…"}</p>`;
  return drawVerdict(judged.value, {
    steps: (step) => link("play", play.play, step, "state"),
    isOver: path.at(-1).done,
    rules: domain.rules,
  });
}

function drawStepView(bench) {
  const {play, path, panel} = bench;
  const step = path.at(-1);
  const now = rowsOf([step]);
  const before = rowsOf(path.slice(0, -1));
  const see = {open: (table, key) => openRow(bench, table, key), steps: (number) => link("play", play.play, number, panel)};
  return html`
    ${step.kind === "start" ? drawWelcome(bench) : nothing}
    ${step.kind === "call" ? drawCalled(step) : nothing}
    ${(step.violations ?? []).map((sentence) => drawViolation(sentence, ruleIn(bench.domain, sentence)))}
    ${now.length ? html`<h2>Changed by this step</h2><div class="by-this-step">${drawRows(now, {open: see.open})}</div>` : nothing}
    ${!now.length && step.kind !== "start" ? html`<p class="muted">${whyNothing(step)}</p>` : nothing}
    ${before.length ? html`<h2>Changed before</h2>${drawRows(before, see)}` : nothing}`;
}

function drawWelcome({play, domain}) {
  if (play.task === null) {
    return html`<div class="card welcome"><h2>${domain.title}, without a task</h2>
      <p>Call tools on the left and see here what they answer and change. Nobody asks for anything, and nothing is judged.</p></div>`;
  }
  return html`<div class="card welcome"><h2>You are the assistant of this office: ${domain.title}</h2>
    <p>The user has written to you. Find out what they need, look things up and change what they ask for with the tools,
      and answer them. The policy is under “Instructions and policy”. A click on a value puts it into the form.</p>
    <p>Each thing that you do is a step on the timeline. Click a step, or press <kbd>←</kbd> and <kbd>→</kbd>, to see the
      world as it was then; do something there to start a branch. To see how it is done, press <b>Watch</b>.</p></div>`;
}

function drawCalled(step) {
  return html`<h2 class="mono">${step.tool}</h2>${drawGiven(step.arguments, use)}
    <h3>Answer</h3>${drawAnswer(step, use)}`;
}

/** The rule that a sentence about a violation names. */
function ruleIn(domain, sentence) {
  return domain.rules.find((rule) => sentence.split(/\W+/).includes(rule.code));
}

function whyNothing(step) {
  if (step.kind === "say") return "Words change no row.";
  return step.refused ? "It was refused, so nothing was written." : "It changed nothing.";
}

function openRow(bench, table, key) {
  Object.assign(bench.memo, {view: "tables", table, page: 0, find: String(key[0])});
  show(bench, bench.at, "state");
}

function drawTableView(bench) {
  const {play, domain, at, memo, path} = bench;
  const table = memo.table ?? path.findLast((step) => step.cells.length)?.cells[0].table ?? domain.tables[0].name;
  const asked = new URLSearchParams({table, page: memo.page, find: memo.find});
  const {value, error} = readLatest(`rows of ${play.play}/${table}`, `${pathOf(play.play)}/rows/${at}?${asked}`);
  if (error) return html`<p class="failure" role="alert">${error}</p>`;
  return drawTables(domain.tables, {table, rows: value, find: memo.find, only: memo.only, path}, {
    open: (name) => remember(memo, {table: name, page: 0, find: ""}),
    find: (find) => remember(memo, {find, page: 0}),
    turn: (page) => remember(memo, {page}),
    only: (only) => remember(memo, {only}),
    follow: (name, key) => remember(memo, {table: name, find: String(key), page: 0}),
    use: (value) => use(value),
  });
}

function use(value) {
  const field = useValue(value);
  if (field) document.querySelector(`[name="argument ${CSS.escape(field)}"]`)?.focus();
}

function drawCompare(bench) {
  const {play, at, memo} = bench;
  const ends = endsOf(play.steps).filter((end) => end.number !== at);
  const other = play.steps[memo.other] && memo.other !== at ? memo.other : ends.at(-1).number;
  return html`
    <label class="row">Step ${at} and <select @change=${(event) => remember(memo, {other: Number(event.target.value)})}>
      ${play.steps.filter((step) => step.number !== at).map((step) => html`<option value=${step.number} ?selected=${step.number === other}
        >step ${step.number}: ${describeStep(step).title}${ends.includes(step) ? ", the end of a branch" : ""}</option>`)}</select></label>
    ${whenRead(`${pathOf(play.play)}/compare?a=${at}&b=${other}`, (cells) => cells.length
      ? html`<section aria-label="Differences"><h2>From step ${at} to step ${other}</h2>
        ${drawRows(rowsOf([{number: other, cells}]), {words: {added: `only at step ${other}`, removed: `only at step ${at}`, changed: "differs"}})}</section>`
      : html`<p>The rows are the same at both steps.</p>`)}`;
}

// right: the conversation

function drawTalkColumn(bench) {
  const {play, memo, path} = bench;
  return html`
    <details class="instructions"><summary>Instructions and policy</summary><div>${drawMarkdown(play.prompt)}</div></details>
    ${drawTalk(path, {
      name: play.play,
      agent: "You, the assistant",
      pending: memo.busy === "say" ? memo.pending : "",
      show: (step) => show(bench, step),
      use,
    })}
    ${drawComposer(bench)}`;
}

function drawComposer(bench) {
  const {play, at, memo, path} = bench;
  if (play.task === null) return html`<p class="muted composer-note">No task is played, so nobody is there to talk to. Call tools, and see what they change.</p>`;
  const isOver = path.at(-1).done;
  return html`<form class="composer" @submit=${(event) => {
    event.preventDefault();
    speak(bench, event.target);
  }}>
    ${isOver ? html`<p>${drawResult(bench)} <a href=${link("play", play.play, at, "verdict")}>See the verdict</a>, or step back and try
      something else.</p>` : nothing}
    <textarea name="text" rows="2" aria-label="Say to the user" placeholder="Say something to the user" ?disabled=${isOver}
      @keydown=${(event) => {
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        event.target.form.requestSubmit();
      }}></textarea>
    <button class="primary" ?disabled=${isOver || memo.busy !== ""}>Say</button>
  </form>`;
}

function drawResult({play, at}) {
  const {value} = read(verdictPath(play, at));
  if (!value) return nothing;
  const {mark, words, kind} = summarize(value);
  return html`<b class=${kind}>${mark} ${words}.</b>`;
}

stepByKeys(() => {
  const [place, name, number, panel = "talk"] = state.route;
  const play = place === "play" && read(pathOf(name)).value;
  if (!play) return undefined;
  const current = number in play.steps ? Number(number) : play.steps.length - 1;
  return {steps: play.steps, current, show: (step) => show({play, panel}, step)};
});
