// Evaluations: the list of runs; and one run: failures by reason, every trial, beside another run, and figures.

import {html, nothing, svg} from "./lit-html.js";
import {counted, draw, drawChoices, drawSearch, frozen, go, link, memory, remember, set, state, whenRead} from "./page.js";
import {drawList} from "./tables.js";

const MOST_TASKS = 60; // of the table of trials, until all are asked for
const MOST_REASONS = 6; // why episodes failed, likewise
const MOST_LISTED = 25; // episodes under a reason, likewise
const MOST_ABREAST = 8; // trials of a task in one line
const STILL = 60_000; // milliseconds after the last episode, from which on a run is said to have stopped

export const OUTCOMES = {
  reached: {mark: "✓", words: "goal reached", look: "good"},
  failed: {mark: "✕", words: "failed", look: "bad"},
  void: {mark: "○", words: "void", look: "warn"},
};

/** Which of OUTCOMES an entry of the list of episodes is. */
export function outcomeOf(entry) {
  if (entry.reward === null) return "void";
  return entry.reward === 1 ? "reached" : "failed";
}

/** A share of 1 as a percentage. */
export function share(value) {
  return value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)}%`;
}

function interval(score) {
  const {low, high} = score;
  return low === null || low === undefined ? "" : `${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)}%`;
}

// the list of runs

export function drawRuns() {
  return html`<h1>Evaluations</h1>${whenRead("api/runs", (runs) => (runs.length ? drawRunList(runs) : html`
    <p class="card">No evaluation is here yet. <code>worldsmith eval library --agent random</code> writes one into
      <code>./runs</code>; it shows up here as soon as it begins. For a store elsewhere, start
      <code>worldsmith studio --run FILE</code>.</p>`))}`;
}

/** The runs as a list to sort; two that are ticked can be compared. */
export function drawRunList(runs) {
  const ticked = (state.tickedRuns ??= []);
  const tick = ({run}) => set({tickedRuns: ticked.includes(run) ? ticked.filter((name) => name !== run) : [...ticked, run].slice(-2)});
  const broken = runs.filter((run) => run.error);
  return html`<div class="scroll">${drawList("runs", "Evaluations", [
    {title: "Agent", by: (run) => run.agent, draw: (run) => html`<a href=${link("run", run.run)}>${run.agent}</a> ${drawMoving(run, run.asked - run.episodes)}<small>${run.run}</small>`},
    {title: "Domains", by: (run) => run.domains.join(), draw: (run) => run.domains.join(", ")},
    {title: "User", by: (run) => run.user, draw: (run) => run.user},
    {title: "Mean reward", number: true, by: (run) => run.average, draw: (run) => drawShare(run.average), about: "Of all episodes that were scored"},
    {title: "Episodes", number: true, by: (run) => run.episodes, draw: (run) => html`${run.episodes.toLocaleString("en")}${run.episodes < run.asked ? html` <small>of ${run.asked.toLocaleString("en")}</small>` : nothing}`},
    {title: "Void", number: true, by: (run) => run.void, draw: (run) => run.void, about: "Not scored: a fault that is not the agent's ended them"},
    {title: "Last episode", by: (run) => run.ended, draw: (run) => said(run.ended)},
    {title: "Compare", draw: (run) => html`<label><input type="checkbox" aria-label=${`Compare ${run.run}`} .checked=${ticked.includes(run.run)} @change=${() => tick(run)}></label>`},
  ], runs.filter((run) => !run.error))}</div>
  ${ticked.length === 2 ? html`<p><a class="button primary" href=${link("run", ticked[0], "with", ticked[1])}>Compare the two</a></p>` : nothing}
  ${broken.map((run) => html`<div class="card"><h2>${run.run}</h2><p class="failure">${run.error}</p></div>`)}`;
}

const said = (moment) => `${moment.slice(0, 16).replace("T", " ")} UTC`;

function drawShare(value) {
  return html`${share(value)}${value === null ? nothing : drawBar(value)}`;
}

function drawCount(episodes, asked) {
  return episodes < asked ? `${episodes.toLocaleString("en")} of ${counted(asked, "episode")}` : counted(episodes, "episode");
}

function isMoving(run, missing) {
  return !frozen && missing > 0 && Date.now() - Date.parse(run.ended) < STILL;
}

function drawMoving(run, missing) {
  return isMoving(run, missing) ? html`<span class="badge now">● running</span>` : nothing;
}

if (!frozen) setInterval(() => state.route[0].startsWith("run") && draw(), STILL / 4); // nobody tells that a run stopped

// one run, maybe beside another: #/run/NAME/with/OTHER

const pathOf = (name) => `api/runs/${encodeURIComponent(name)}`;

export function drawRun([, name, , other]) {
  return whenRead(pathOf(name), (run) => {
    const tasks = new Map(run.tasks.map((task) => [nameOf(task), task]));
    return html`<div class="evaluation">
      ${frozen ? nothing : html`<div class="row"><a class="grow" href=${link("runs")}>‹ All evaluations</a>${drawOthers(name, other)}</div>`}
      ${drawHead(run)}
      ${other ? drawComparison(name, other) : nothing}
      ${drawFailures(run, name, tasks)}
      ${other ? whenRead(pathOf(other), (second) => drawTrials(run, name, {...second, name: other})) : drawTrials(run, name)}
      ${drawFigures(run)}
    </div>`;
  });
}

const nameOf = ({domain, id, task = id}) => `${domain}/${task}`;

function drawHead(run) {
  const {headline} = run;
  return html`<header class="run-head">
    <div class="grow">
      <h1>${run.agent} ${drawMoving(run, run.missing)}</h1>
      <p>${run.lead}</p>
      <p class="muted">${run.made}${run.file ? html` · <code>${run.file}</code>` : nothing}</p>
    </div>
    <div class="headline">
      <p class="value">${share(headline.value)}</p>
      <p>${headline.name}</p>
      ${interval(headline) ? html`<p class="muted">95% interval ${interval(headline)}</p>` : nothing}
    </div>
  </header>
  ${run.missing ? drawProgress(run) : nothing}`;
}

function drawProgress(run) {
  const stopped = frozen || isMoving(run, run.missing) ? "" : " · stopped; the same `worldsmith eval` command goes on";
  return html`<p class="row"><progress max=${run.asked} value=${run.asked - run.missing} aria-label="Episodes played"></progress>
    <span role="status">${drawCount(run.count, run.asked)}${stopped}</span></p>`;
}

function drawOthers(name, other) {
  return whenRead("api/runs", (runs) => html`<label>Compare with <select @change=${({target}) =>
    go(target.value ? link("run", name, "with", target.value) : link("run", name))}>
    <option value="">nothing</option>${runs.filter((run) => !run.error && run.run !== name).map((run) => html`
      <option value=${run.run} ?selected=${run.run === other}>${run.agent} (${run.run})</option>`)}</select></label>`);
}

function drawComparison(name, other) {
  return html`<section class="card" aria-label="Comparison">${whenRead(`${pathOf(name)}/with/${encodeURIComponent(other)}`, ({first, second, tasks, difference, better, worse, p, conditions}) => {
    const points = (value) => `${value < 0 ? "−" : "+"}${Math.abs(100 * value).toFixed(1)}`;
    return html`
      <h2>${first.agent} ${share(first.mean)}, ${second.agent} ${share(second.mean)} on the ${counted(tasks, "task")} of both</h2>
      ${better || worse
        ? html`<p><b>${points(difference.value)} points</b>${difference.low === null ? nothing : ` (95% interval ${points(difference.low)} to ${points(difference.high)})`}:
            ${second.agent} does better on ${counted(better, "task")} and worse on ${worse}. By chance alone a split at least as uneven comes about
            with probability ${p.toPrecision(2)} (sign test).</p>`
        : html`<p>The same mean reward on every task.</p>`}
      ${conditions.length ? html`<p class="warn">⚠ Not played under the same conditions: ${conditions.map(([what, one, another]) => `${what} ${one}, ${another}`).join("; ")}.</p>` : nothing}`;
  })}</section>`;
}

// failures

function drawFailures(run, name, tasks) {
  const groups = state.allReasons === name ? run.failures : run.failures.slice(0, MOST_REASONS);
  const most = Math.max(...run.failures.map((group) => group.episodes));
  return html`<section aria-labelledby="failures-title">
    <h2 id="failures-title">Failures</h2>
    <p class="muted">${run.failures.length ? describeFailures(run) : run.count ? "No episode failed." : "No episode was played yet."}</p>
    <div class="failures">${groups.map((group) => drawGroup(run, name, tasks, group, most))}</div>
    ${groups.length < run.failures.length
      ? html`<button type="button" @click=${() => set({allReasons: name})}>Show all ${counted(run.failures.length, "reason")}</button>`
      : nothing}
  </section>`;
}

function describeFailures(run) {
  const [failed, spoilt] = ["failed", "void"].map((kind) => run.episodes.filter((entry) => outcomeOf(entry) === kind).length);
  const words = `${failed.toLocaleString("en")} of ${counted(run.count, "episode")} failed.`;
  if (!spoilt) return words;
  return `${words} ${spoilt.toLocaleString("en")} void: not scored, since a fault that is not the agent's ended ${spoilt === 1 ? "it" : "them"}.`;
}

function drawGroup(run, name, tasks, group, most) {
  const mine = run.episodes.filter(
    (entry) => entry.reward !== 1 && (entry.fault ?? "unknown") === group.fault && entry.reason === group.reason,
  );
  const titleOf = (entry) => tasks.get(nameOf(entry)).title;
  const count = (title, name) => ({title, number: true, by: (entry) => entry[name], draw: (entry) => entry[name]});
  return html`<details class="card">
    <summary>
      <span><b>${group.reason || "no reason given"}</b>
        <span class="muted">${group.fault === "unknown" ? nothing : `fault of the ${group.fault}`}</span></span>
      <span>${counted(group.episodes, "episode")}</span>
      ${drawBar(group.episodes / most, "bad")}
    </summary>
    ${group.first ? html`<p class="muted">The first: ${group.first}</p>` : nothing}
    ${drawList(`${name} ${group.fault} ${group.reason}`, group.reason, [
      {title: "Task", by: titleOf, draw: (entry) => (entry.told ? html`<a href=${link("run", name, "episode", entry.number)}>${titleOf(entry)}</a>` : titleOf(entry))},
      count("Trial", "trial"),
      count("Turns", "turns"),
      count("Calls", "calls"),
      count("Rejected", "rejections"),
      count("Service faults", "service_faults"),
    ], mine, MOST_LISTED)}
  </details>`;
}

/** How far a share goes, and where its interval lies if it has one. */
function drawBar(value, look = "", {low, high} = {}) {
  const spread = low === null || low === undefined ? nothing
    : svg`<rect class="spread" x=${100 * low} width=${100 * (high - low)} height="4"></rect>`;
  return html`<svg class=${`bar ${look}`} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
    ${svg`<rect class="ground" width="100" height="4"></rect><rect width=${100 * value} height="4"></rect>${spread}`}
  </svg>`;
}

// every trial, of this run or of two

function drawTrials(run, name, other) {
  const filter = memory(`trials of ${name}`, {words: "", outcome: ""});
  const mine = playedIn(run);
  const theirs = other && playedIn(other);
  const found = run.tasks.filter((task) => isWanted(task, mine.get(nameOf(task)) ?? [], filter));
  const outcomes = Object.entries(OUTCOMES).map(([key, {mark, words}]) => ({name: key, title: `${mark} ${words}`}));
  const [reached, alsoReached] = [mine, theirs].map((played) => (task) => reachedIn(played?.get(nameOf(task))));
  const rise = (task) => (reached(task) === null || alsoReached(task) === null ? null : alsoReached(task) - reached(task));
  const nameFor = (of, place) => (run.agent === other?.agent ? place : of.agent);
  const trialsOf = (of, place, played) => ({title: `Trials of ${nameFor(of, place)}`, draw: (task) => drawTrialsOf(place, task, of.trials, played.get(nameOf(task)))});
  const columns = [
    {title: "Task", by: (task) => task.title, draw: (task) => html`${task.title}<small>${[task.domain, task.id, task.split === "held_out" ? "held out" : ""].filter(Boolean).join(" · ")}</small>`},
    {title: "Level", number: true, by: (task) => task.level, draw: (task) => task.level ?? "–", about: "How hard the task is, from 1 to 5"},
    {...trialsOf(run, name, mine), ...(other ? {} : {title: "Trials"})},
    {title: "Reached", number: true, by: reached, draw: (task) => drawShare(reached(task)), about: "Trials that reached the goal, of those that were scored"},
    ...(other ? [
      trialsOf(other, other.name, theirs),
      {title: `Reached by ${nameFor(other, other.name)}`, number: true, by: alsoReached, draw: (task) => drawShare(alsoReached(task))},
      {title: "Difference", number: true, by: rise, draw: (task) => drawRise(rise(task))},
    ] : [{title: "Calls", number: true, by: (task) => callsIn(mine.get(nameOf(task))), draw: (task) => callsIn(mine.get(nameOf(task)))?.toFixed(1) ?? "–", about: "Tool calls of an episode, on average"}]),
  ];
  return html`<section aria-labelledby="trials-title">
    <h2 id="trials-title">Every trial</h2>
    <form class="row" role="search" aria-label="Find tasks" @submit=${(event) => event.preventDefault()}>
      ${drawSearch("Find a task", filter.words, (words) => remember(filter, {words}))}
      ${drawChoices("Tasks with this outcome", [{name: "", title: "all"}, ...outcomes], filter.outcome, (outcome) => remember(filter, {outcome}))}
      <span class="muted" role="status">${found.length < run.tasks.length
        ? `${found.length.toLocaleString("en")} of ${counted(run.tasks.length, "task")}`
        : counted(found.length, "task")}</span>
    </form>
    <div class="scroll">${drawList(`trials of ${name}`, "Every trial", columns, found, MOST_TASKS)}</div>
    ${run.told_note ? html`<p class="muted">${run.told_note}</p>` : nothing}
  </section>`;
}

/** The episodes of each task. */
function playedIn(run) {
  return Map.groupBy(run.episodes, nameOf);
}

function reachedIn(entries = []) {
  const scored = entries.filter((entry) => entry.reward !== null);
  return scored.length ? scored.filter((entry) => entry.reward === 1).length / scored.length : null;
}

function callsIn(entries = []) {
  return entries.length ? entries.reduce((sum, entry) => sum + entry.calls, 0) / entries.length : null;
}

function drawRise(value) {
  if (!value) return html`<span class="muted">${value === null ? "–" : "same"}</span>`;
  return html`<b class=${value > 0 ? "good" : "bad"}>${value > 0 ? "▲ +" : "▼ −"}${Math.abs(100 * value).toFixed(0)}</b>`;
}

function isWanted(task, entries, {words, outcome}) {
  const text = `${task.title} ${task.domain} ${task.id}`.toLowerCase();
  return words.toLowerCase().split(/\s+/).every((word) => text.includes(word))
    && (!outcome || entries.some((entry) => outcomeOf(entry) === outcome));
}

/** What is said of a task beside its title. */
export function aboutTask(task) {
  const parts = [task.domain, task.id];
  if (task.level !== null) parts.push(`level ${task.level}`);
  if (task.split === "held_out") parts.push("held out");
  return parts.join(" · ");
}

function drawTrialsOf(name, task, trials, entries = []) {
  return html`<span class=${trials > MOST_ABREAST ? "trials many" : "trials"}>${Array.from({length: trials}, (_, trial) =>
    drawTrial(name, task, trial, entries.find((entry) => entry.trial === trial)))}</span>`;
}

function drawTrial(name, task, trial, entry) {
  if (!entry) return html`<span class="trial pending" title="not played yet">·</span>`;
  const {mark, words, look} = OUTCOMES[outcomeOf(entry)];
  const about = `${task.title}, trial ${trial}: ${words}${entry.reason ? `, ${entry.reason}` : ""}`;
  if (!entry.told) return html`<span class="trial" role="img" aria-label=${about} title=${about}>${mark}</span>`;
  return html`<a class="trial ${look}" href=${link("run", name, "episode", entry.number)} aria-label=${about} title=${about}>${mark}</a>`;
}

// figures

function drawFigures(run) {
  return html`<section aria-labelledby="figures-title">
    <h2 id="figures-title">Figures</h2>
    ${run.notes.map((note) => html`<p>${note}</p>`)}
    <dl class="facts">${run.facts.map(([name, value, more]) => html`<div><dt>${name}</dt><dd>${value} <small>${more}</small></dd></div>`)}</dl>
    <div class="tables">${run.tables.map((table) => html`<section class="scroll"><h3>${table.title} <small>${table.what}</small></h3>
      ${drawList(`figures ${table.title}`, table.title, [
        {title: table.first, by: (row) => row.name, draw: (row) => row.name},
        ...table.counts.map((title, place) => ({title, number: true, by: (row) => row.counts[place], draw: (row) => row.counts[place].toLocaleString("en")})),
        {title: table.score, number: true, by: (row) => row.value, draw: (row) => share(row.value)},
        {title: "95% interval", draw: (row) => html`${row.value === null ? nothing : drawBar(row.value, "wide", row)} <small>${interval(row)}</small>`},
      ], table.rows)}</section>`)}</div>
  </section>`;
}
