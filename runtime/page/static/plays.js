// The list of plays, and the form that starts one.

import {html, nothing} from "./lit-html.js";
import {post} from "./data.js";
import {attempt, counted, draw, go, link, state, whenRead} from "./page.js";

const USERS = ["scripted", "none", "reader:anthropic:MODEL", "anthropic:MODEL", "openai:MODEL"];

/** The plays of this server, the latest first. */
export function drawPlays() {
  return html`<h1>Plays</h1>
    <p class="muted">A play is a task that you or an agent go through step by step. Plays live as long as the server.</p>
    <div class="play-list">
      <section class="card" aria-label="Start a play"><h2>Start a play</h2>${drawStart()}</section>
      <section aria-label="Plays">${whenRead("api/plays", (plays) => plays.length
        ? html`<ul class="bare stack">${plays.map(drawOne)}</ul>`
        : html`<p class="muted">None yet.</p>`)}</section>
    </div>`;
}

function drawOne(play) {
  return html`<li><a class="card" href=${link("play", play.play, play.last, "talk")}>
    <b>${play.title}</b>
    <p class="muted">${play.domain_title} · ${counted(play.steps, "step")}${play.done ? " · over" : ""}</p></a></li>`;
}

function drawStart() {
  const asked = (state.startPlay ??= {domain: "", task: null});
  return whenRead("api/domains", (cards) => {
    const usable = cards.filter((card) => !card.error);
    if (!usable.some((card) => card.name === asked.domain)) asked.domain = usable[0]?.name ?? "";
    if (!asked.domain) return html`<p class="muted">There is no domain to play in.</p>`;
    return html`<form @submit=${start}>
      <label class="field"><span>Domain</span><select name="domain" @change=${(event) => {
        Object.assign(asked, {domain: event.target.value, task: null});
        draw();
      }}>${usable.map((card) => html`<option value=${card.name} ?selected=${card.name === asked.domain}>${card.title}</option>`)}</select></label>
      ${whenRead(`api/domains/${encodeURIComponent(asked.domain)}`, (domain) => drawTaskChoice(domain, asked))}
    </form>`;
  });
}

/** What there is to choose of a domain; the play can be started once it is known. */
function drawTaskChoice(domain, asked) {
  const chosen = asked.task ?? domain.tasks[0]?.id ?? "";
  return html`<label class="field"><span>Task</span><select name="task" @change=${(event) => {
      asked.task = event.target.value;
    }}>
    ${domain.tasks.map((task) => html`<option value=${task.id} .selected=${task.id === chosen}>${task.title}${task.level === null ? "" : ` (level ${task.level})`}</option>`)}
    <option value="" .selected=${chosen === ""}>none: only look and call tools</option></select>
    ${domain.tasks.length ? nothing : html`<small>This domain has no tasks.</small>`}</label>
    <details><summary>User and seed</summary>
      <label class="field"><span>User</span><input name="user" list="users" value="scripted">
        <datalist id="users">${USERS.map((user) => html`<option value=${user}></option>`)}</datalist>
        <small>a script, nobody who answers, or a model</small></label>
      <label class="field"><span>Seed</span><input name="seed" type="number" min="0" step="1" value="0">
        <small>varies the user's small words</small></label>
    </details>
    <button class="primary">Start</button>`;
}

async function start(event) {
  event.preventDefault();
  const {domain, task, user, seed} = event.target.elements;
  const body = task.value
    ? {domain: domain.value, task: task.value, user: user.value.trim(), seed: Number(seed.value)}
    : {domain: domain.value};
  const started = await attempt(() => post("api/plays", body));
  if (started) go(link("play", started.play, 0, "talk"));
}
