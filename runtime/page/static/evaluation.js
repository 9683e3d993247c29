// Evaluations: the list of runs, and one run: failures by reason, every trial, then the tables of figures.

import {html, nothing, svg} from "./lit-html.js";
import {frozen} from "./data.js";
import {counted, draw, drawChoices, link, set, state, whenRead} from "./page.js";

const MOST_TASKS = 40; // rows of the table of trials, until all are asked for
const MOST_LISTED = 25; // episodes under a reason, until all are asked for
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
  return html`<h1>Evaluations</h1>
    ${whenRead("api/runs", (runs) => (runs.length
      ? html`<div class="cards">${runs.map(drawCard)}</div>`
      : html`<p class="card">No evaluation is here yet. <code>worldsmith eval library --agent random</code> writes one into
          <code>./runs</code>; it shows up here as soon as it begins. For a store elsewhere, start
          <code>worldsmith studio --run FILE</code>.</p>`))}`;
}

function drawCard(run) {
  if (run.error) {
    return html`<div class="card"><h2>${run.run}</h2><p class="failure">${run.error}</p></div>`;
  }
  return html`<a class="card run-card" href=${link("run", run.run)}>
    <h2>${run.agent} ${drawMoving(run, run.asked - run.episodes)}</h2>
    <p>${run.domains.join(", ")} <span class="muted">· user ${run.user}</span></p>
    <p>${run.average === null ? nothing : html`<b>${share(run.average)}</b> · `}${drawCount(run.episodes, run.asked)}${run.void
      ? html` · ${OUTCOMES.void.mark} ${run.void} void`
      : nothing}</p>
    <p class="muted"><small>${run.run} · ${said(run.ended)}</small></p>
  </a>`;
}

const said = (moment) => `${moment.slice(0, 16).replace("T", " ")} UTC`;

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

// one run

export function drawRun([, name]) {
  return whenRead(`api/runs/${encodeURIComponent(name)}`, (run) => {
    const tasks = new Map(run.tasks.map((task) => [nameOf(task.domain, task.id), task]));
    return html`<div class="evaluation">
      ${frozen ? nothing : html`<a href=${link("runs")}>All evaluations</a>`}
      ${drawHead(run)}
      ${drawFailures(run, name, tasks)}
      ${drawTrials(run, name, tasks)}
      ${drawFigures(run)}
    </div>`;
  });
}

const nameOf = (domain, task) => `${domain}/${task}`;

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
  const stopped = frozen || isMoving(run, run.missing) ? "" : ` · stopped; the same \`worldsmith eval\` command goes on`;
  return html`<p class="row"><progress max=${run.asked} value=${run.asked - run.missing} aria-label="Episodes played"></progress>
    <span role="status">${drawCount(run.count, run.asked)}${stopped}</span></p>`;
}

// failures

function drawFailures(run, name, tasks) {
  const groups = run.failures;
  const most = Math.max(...groups.map((group) => group.episodes));
  return html`<section aria-labelledby="failures-title">
    <h2 id="failures-title">Failures</h2>
    ${groups.length
      ? html`<p class="muted">${describeFailures(run)}</p>`
      : html`<p class="muted">${run.count ? "No episode failed." : "No episode was played yet."}</p>`}
    <div class="failures">${groups.map((group) => drawGroup(run, name, tasks, group, most))}</div>
  </section>`;
}

function describeFailures(run) {
  const failed = run.episodes.filter((entry) => outcomeOf(entry) === "failed").length;
  const spoilt = run.episodes.filter((entry) => outcomeOf(entry) === "void").length;
  const words = `${failed.toLocaleString("en")} of ${counted(run.count, "episode")} failed.`;
  if (!spoilt) return words;
  return `${words} ${spoilt.toLocaleString("en")} void: not scored, since a fault that is not the agent's ended ${spoilt === 1 ? "it" : "them"}.`;
}

function drawGroup(run, name, tasks, group, most) {
  const mine = run.episodes.filter(
    (entry) => entry.reward !== 1 && (entry.fault ?? "unknown") === group.fault && entry.reason === group.reason,
  );
  const key = `${group.fault}/${group.reason}`;
  const listed = state.wholeGroup === key ? mine : mine.slice(0, MOST_LISTED);
  return html`<details class="card">
    <summary>
      <span><b>${group.reason || "no reason given"}</b>
        <span class="muted">${group.fault === "unknown" ? nothing : `fault of the ${group.fault}`}</span></span>
      <span class="many">${counted(group.episodes, "episode")}</span>
      ${drawBar(group.episodes / most)}
    </summary>
    ${group.first ? html`<p class="muted">The first: ${group.first}</p>` : nothing}
    <ol class="episodes">${listed.map((entry) => html`<li>${drawEntry(name, tasks, entry)}</li>`)}</ol>
    ${listed.length < mine.length
      ? html`<button type="button" @click=${() => set({wholeGroup: key})}>Show all ${counted(mine.length, "episode")}</button>`
      : nothing}
  </details>`;
}

function drawBar(part) {
  return html`<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
    ${svg`<rect class="ground" width="100" height="4"></rect><rect class="fill" width=${100 * part} height="4"></rect>`}
  </svg>`;
}

function drawEntry(name, tasks, entry) {
  const about = [`trial ${entry.trial}`, counted(entry.turns, "turn"), counted(entry.calls, "call")];
  if (entry.rejections) about.push(`${entry.rejections} rejected`);
  if (entry.service_faults) about.push(`${entry.service_faults} met a fault of the service`);
  const {mark, words, look} = OUTCOMES[outcomeOf(entry)];
  const title = tasks.get(nameOf(entry.domain, entry.task)).title;
  return html`<span class=${look} aria-hidden="true">${mark}</span><span class="hidden-name">${words}: </span>
    ${entry.told ? html`<a href=${link("run", name, "episode", entry.number)}>${title}</a>` : title}
    <small>${about.join(" · ")}</small>`;
}

// every trial

function drawTrials(run, name, tasks) {
  const filter = filterOf(name);
  const found = run.tasks.filter((task) => isWanted(run, task, filter));
  const shown = filter.whole ? found : found.slice(0, MOST_TASKS);
  const trials = Array.from({length: run.trials}, (_, number) => number);
  const entries = new Map(run.episodes.map((entry) => [`${nameOf(entry.domain, entry.task)}/${entry.trial}`, entry]));
  const outcomes = Object.entries(OUTCOMES).map(([key, {mark, words}]) => ({name: key, title: `${mark} ${words}`}));
  return html`<section aria-labelledby="trials-title">
    <h2 id="trials-title">Every trial</h2>
    <form class="row" role="search" aria-label="Find tasks" @submit=${(event) => event.preventDefault()}>
      <input type="search" aria-label="Find a task" placeholder="Find a task" autocomplete="off"
        .value=${filter.words} @input=${(event) => change(filter, {words: event.target.value})}>
      ${drawChoices("Tasks with this outcome", [{name: "", title: "all"}, ...outcomes], filter.outcome, (outcome) => change(filter, {outcome}))}
      <span class="muted" role="status">${found.length < run.tasks.length
        ? `${found.length.toLocaleString("en")} of ${counted(run.tasks.length, "task")}`
        : counted(found.length, "task")}</span>
    </form>
    <div class="tables">${inColumns(shown, trials.length).map((part) => html`<div class="scroll"><table class="grid">
      <thead><tr><th scope="col">Task</th>${trials.map((trial) => html`<th scope="col"><span class="hidden-name">Trial </span>${trial}</th>`)}</tr></thead>
      <tbody>${part.map((task) => html`<tr>
        <th scope="row">${task.title}<small>${aboutTask(task)}</small></th>
        ${trials.map((trial) => html`<td>${drawTrial(name, task, trial, entries.get(`${nameOf(task.domain, task.id)}/${trial}`))}</td>`)}
      </tr>`)}</tbody>
    </table></div>`)}</div>
    ${shown.length < found.length
      ? html`<button type="button" @click=${() => change(filter, {whole: true})}>Show all ${counted(found.length, "task")}</button>`
      : nothing}
    ${run.told_note ? html`<p class="muted">${run.told_note}</p>` : nothing}
  </section>`;
}

/** The tasks in two columns where they are many and their trials few. */
function inColumns(tasks, trials) {
  const half = Math.ceil(tasks.length / 2);
  return tasks.length > 8 && trials <= 6 ? [tasks.slice(0, half), tasks.slice(half)] : [tasks];
}

function filterOf(name) {
  state.filters ??= {};
  return (state.filters[name] ??= {words: "", outcome: "", whole: false});
}

function change(filter, to) {
  Object.assign(filter, to);
  draw();
}

function isWanted(run, task, {words, outcome}) {
  const text = `${task.title} ${task.domain} ${task.id}`.toLowerCase();
  if (!words.toLowerCase().split(/\s+/).every((word) => text.includes(word))) return false;
  if (!outcome) return true;
  return run.episodes.some(
    (entry) => entry.task === task.id && entry.domain === task.domain && outcomeOf(entry) === outcome,
  );
}

/** What is said of a task beside its title. */
export function aboutTask(task) {
  const parts = [task.domain, task.id];
  if (task.level !== null) parts.push(`level ${task.level}`);
  if (task.split === "held_out") parts.push("held out");
  return parts.join(" · ");
}

function drawTrial(name, task, trial, entry) {
  if (!entry) return html`<span class="trial pending" title="not played yet">·</span>`;
  const {mark, words, look} = OUTCOMES[outcomeOf(entry)];
  const about = `${task.title}, trial ${trial}: ${words}${entry.reason ? `, ${entry.reason}` : ""}`;
  if (!entry.told) return html`<span class="trial" role="img" aria-label=${about} title=${about}>${mark}</span>`;
  return html`<a class="trial ${look}" href=${link("run", name, "episode", entry.number)} aria-label=${about} title=${about}>${mark}</a>`;
}

// tables of figures

function drawFigures(run) {
  return html`<section aria-labelledby="figures-title">
    <h2 id="figures-title">Figures</h2>
    ${run.notes.map((note) => html`<p>${note}</p>`)}
    <dl class="facts">${run.facts.map(([name, value, more]) => html`<div><dt>${name}</dt><dd>${value} <small>${more}</small></dd></div>`)}</dl>
    <div class="tables">${run.tables.map(drawTable)}</div>
  </section>`;
}

function drawTable(table) {
  return html`<div class="scroll"><table>
    <caption>${table.title} <small>${table.what}</small></caption>
    <thead><tr>
      <th scope="col">${table.first}</th>
      ${[...table.counts, table.score].map((each) => html`<th scope="col" class="number">${each}</th>`)}
      <th scope="col">95% interval</th>
    </tr></thead>
    <tbody>${table.rows.map((row) => html`<tr>
      <th scope="row">${row.name}</th>
      ${row.counts.map((each) => html`<td class="number">${each.toLocaleString("en")}</td>`)}
      <td class="number">${share(row.value)}</td>
      <td>${row.value === null ? nothing : drawRange(row)} <small>${interval(row)}</small></td>
    </tr>`)}</tbody>
  </table></div>`;
}

function drawRange(score) {
  const [low, high, value] = [score.low ?? score.value, score.high ?? score.value, score.value].map((each) => 100 * each);
  return html`<svg class="range" viewBox="-2 0 104 12" preserveAspectRatio="none" aria-hidden="true">
    ${svg`<rect class="ground" y="4.5" width="100" height="3"></rect>
      <rect class="fill spread" x=${low} y="3" width=${high - low} height="6"></rect>
      <rect class="fill" x=${value - 1} width="2" height="12"></rect>`}
  </svg>`;
}
