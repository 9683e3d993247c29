// One episode of a run in the look of a play: the timeline, the conversation, what each step changed, the verdict.

import {html, nothing} from "./lit-html.js";
import {OUTCOMES, aboutTask, outcomeOf, share} from "./evaluation.js";
import {counted, drawChoices, drawPoison, frozen, go, link, read, set, state, whenRead} from "./page.js";
import {drawTalk} from "./talk.js";
import {describeStep, drawTimeline, pathTo, stepByKeys} from "./timeline.js";
import {drawRows, drawVerdict, rowsOf} from "./verdict.js";

const PANELS = [
  {name: "talk", title: "Conversation"},
  {name: "changes", title: "Changes"},
  {name: "verdict", title: "Verdict"},
];

const ENDS = {
  done: "ended by the user",
  gave_up: "the agent gave up",
  out_of_turns: "out of turns",
  out_of_calls: "out of tool calls",
  out_of_time: "out of time",
  void: "ended by a fault of the environment or harness",
};

/** What the address says: the run, the number of the episode, the step (the last one if none is named), the panel. */
function readPlace(route) {
  const [, name, , number, step, panel] = route;
  return {name, number, step: step === undefined ? undefined : Number(step), panel: panel ?? "verdict"};
}

export function drawEpisode(route) {
  const place = readPlace(route);
  const run = read(`api/runs/${encodeURIComponent(place.name)}`);
  const told = read(pathOf(place));
  if (!run.value || !told.value) {
    const error = run.error ?? told.error;
    return error ? html`<p class="failure" role="alert">${error}</p>` : html`<p class="muted waiting">Loading…</p>`;
  }
  const entry = run.value.episodes.find((each) => String(each.number) === place.number);
  if (!entry) return html`<p class="failure" role="alert">This run has no episode ${place.number}.</p>`;
  const {steps} = told.value;
  const current = Math.min(place.step ?? steps.length - 1, steps.length - 1);
  const path = pathTo(steps, current);
  const here = {...place, step: current};
  return html`<div class="episode" data-panel=${place.panel}>
    ${drawHead(run.value, entry, told.value, place)}
    ${drawTimeline(`${place.name}/${place.number}`, steps, current, (step) => go(address(here, {step}), true))}
    <div class="episode-panels">${drawChoices("Panels", PANELS, place.panel, (panel) => go(address(here, {panel}), true))}</div>
    <div class="episode-sides">
      <section class="episode-talk" aria-label="Conversation">
        ${drawBackground(place, entry, told.value)}
        ${drawTalk(path, {name: `${place.name}/${place.number}`, agent: run.value.agent, show: (step) => go(address(here, {step}), true)})}
      </section>
      <section class="episode-state" aria-label=${place.panel === "changes" ? "Changes" : "Verdict"}>
        <div class="episode-choice">${drawChoices("State", PANELS.slice(1), place.panel === "changes" ? "changes" : "verdict", (panel) => go(address(here, {panel}), true))}</div>
        ${place.panel === "changes"
          ? drawChanges(told.value, path, here)
          : drawVerdict(told.value.verdict, {rules: told.value.rules, steps: (step) => address(here, {step, panel: "changes"})})}
      </section>
    </div>
  </div>`;
}

const pathOf = ({name, number}) => `api/episodes/${encodeURIComponent(name)}/${number}`;

function address({name, number, step, panel}, change = {}) {
  const there = {step, panel, ...change};
  return link("run", name, "episode", number, there.step, there.panel);
}

// the head

function drawHead(run, entry, told, place) {
  const task = run.tasks.find((each) => each.id === entry.task && each.domain === entry.domain);
  const {mark, words, look} = OUTCOMES[outcomeOf(entry)];
  const about = [aboutTask(task), `trial ${entry.trial}`, ENDS[entry.end], counted(entry.turns, "turn"), counted(entry.calls, "call")];
  if (look === "bad") about.push(`progress ${share(Math.min(entry.progress, 0.999))}`);
  const tokens = (told.tokens.prompt ?? 0) + (told.tokens.completion ?? 0);
  if (tokens) about.push(`${counted(tokens, "token")}${told.estimated ? " (estimated)" : ""}`);
  about.push(`${entry.seconds.toFixed(1)} s`);
  return html`<header class="episode-head">
    <nav class="row" aria-label="Episodes">
      <a href=${link("run", place.name)}>‹ ${run.agent}</a>
      <span class="grow"></span>
      ${drawNeighbors(run, entry, place)}
    </nav>
    ${drawPoison(told.poison)}
    <h1><span class=${`badge ${look}`}>${mark} ${words}</span> ${task.title}</h1>
    ${entry.reason ? html`<p><b>${entry.reason}</b>${entry.fault ? `, fault of the ${entry.fault}` : ""}${told.why ? `: ${told.why}` : ""}</p>` : nothing}
    <p class="muted"><small>${about.join(" · ")}</small>
      ${frozen || look === "void" ? nothing : html`<a href=${link("save", "run", place.name, place.number)}>Make a task of it</a>`}</p>
  </header>`;
}

/** Links to the episode before and after among those with the same outcome. */
function drawNeighbors(run, entry, place) {
  const like = run.episodes.filter((each) => each.told && outcomeOf(each) === outcomeOf(entry));
  const at = like.findIndex((each) => each.number === entry.number);
  const step = (there, words) => (there
    ? html`<a href=${link("run", place.name, "episode", there.number)}>${words}</a>`
    : html`<span class="none">${words}</span>`);
  return html`${step(like[at - 1], "previous")}<span class="muted">${at + 1} of ${like.length} ${OUTCOMES[outcomeOf(entry)].words}</span>${step(like[at + 1], "next")}`;
}

function drawBackground(place, entry, told) {
  const key = `${place.name}/${entry.domain}`;
  const open = (event) => event.target.open && state.systemOpen !== key && set({systemOpen: key});
  return html`<div class="instructions">
    <details @toggle=${open}><summary>What the agent is told first</summary>
      ${state.systemOpen === key
        ? whenRead(`api/systems/${encodeURIComponent(place.name)}/${encodeURIComponent(entry.domain)}`, ({text}) => html`<pre>${text}</pre>`)
        : nothing}</details>
    ${told.profile ? html`<details><summary>Who the user is</summary><p>${told.profile}</p></details>` : nothing}
  </div>`;
}

// what the steps changed

function drawChanges(told, path, here) {
  const step = path.at(-1);
  const now = rowsOf([step]);
  const earlier = rowsOf(path.slice(0, -1));
  const steps = (number) => address(here, {step: number});
  const {mark, title} = describeStep(step);
  return html`<div class="changes">
    ${told.replayed ? nothing : html`<p class="card warn">⚠ The domain is not here as it was in the run, so what each call changed
      cannot be shown. The verdict has the final state.</p>`}
    <h2>Step ${step.number}: <span aria-hidden="true">${mark}</span> ${title}</h2>
    ${now.length ? html`<div class="by-this-step">${drawRows(now)}</div>` : told.replayed ? html`<p class="muted">Nothing changed.</p>` : nothing}
    ${earlier.length ? html`<h3>Changed before</h3>${drawRows(earlier, {steps})}` : nothing}
  </div>`;
}

stepByKeys(() => {
  if (state.route[2] !== "episode") return undefined;
  const place = readPlace(state.route);
  const steps = read(pathOf(place)).value?.steps;
  if (!steps) return undefined;
  const current = place.step ?? steps.length - 1;
  return {steps, current, show: (step) => go(address({...place, step: current}, {step}), true)};
});
