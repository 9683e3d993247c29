// Where the studio begins: what there is to do, the domains, and the plays with the form that starts one.

import {drawRunList} from "./evaluation.js";
import {html, nothing} from "./lit-html.js";
import {attempt, counted, draw, get, go, link, post, state, whenRead} from "./page.js";
import {drawList} from "./tables.js";

const USERS = ["scripted", "none", "reader:anthropic:MODEL", "anthropic:MODEL", "openai:MODEL"];
const LATEST = 3; // evaluations and plays on the first page

/** The first page: what to do, every domain, and what was played and evaluated last. */
export function drawHome() {
  return whenRead("api/domains", (cards) => html`<h1>Start here</h1>
    ${cards.length ? drawWays(cards) : html`<p>No domain is here. Put one into <code>./domains</code>, or make one: <code>worldsmith new</code>.</p>`}
    <section aria-labelledby="domains-title"><h2 id="domains-title">Domains</h2>${drawDomainList(cards)}</section>
    ${whenRead("api/runs", (runs) => runs.length ? html`<section aria-labelledby="runs-title">
      <h2 id="runs-title">Latest evaluations</h2>${drawRunList(runs.slice(0, LATEST))}
      ${runs.length > LATEST ? html`<p><a href=${link("runs")}>All ${runs.length} evaluations</a></p>` : nothing}</section>` : nothing)}
    ${whenRead("api/plays", (plays) => plays.length ? html`<section aria-labelledby="plays-title">
      <h2 id="plays-title">Latest plays</h2>${drawPlayList(plays.slice(0, LATEST))}</section>` : nothing)}`);
}

/** Three ways to begin, with the domain of the fewest tools that has tasks. */
function drawWays(cards) {
  const [first] = cards.filter((card) => card.tasks).sort((one, other) => one.tools - other.tools);
  const named = first ?? cards.find((card) => !card.error);
  return html`<ol class="bare cards ways">
    ${first ? html`<li class="card"><h2>1. Play a task</h2>
      <p>You are the assistant of ${first.title}: a user asks for something, you call tools, and the verdict shows whether it was right.</p>
      <p class="row"><button type="button" class="primary" @click=${() => startFirst(first.name)}>Play a task</button>
        <a href=${link("domain", first.name, "tasks")}>choose another</a></p></li>` : nothing}
    ${named ? html`<li class="card"><h2>2. Look inside a domain</h2>
      <p>See its rows, its tools and which makes which possible, the rules an assistant has to keep, and the tasks.</p>
      <p class="row"><a class="button" href=${link("domain", named.name, "tools")}>See the tools</a>
        <a href=${link("domain", named.name, "graph")}>see the graph</a></p></li>` : nothing}
    <li class="card"><h2>3. Read an evaluation</h2>
      <p>Which tasks an agent fails, why, and at which step. <code>worldsmith eval ${named?.name ?? "DOMAIN"} --agent random</code> makes one; it shows up here while it runs.</p>
      <p class="row"><a class="button" href=${link("runs")}>See evaluations</a></p></li></ol>`;
}

async function startFirst(name) {
  const domain = await attempt(() => get(`api/domains/${encodeURIComponent(name)}`));
  if (domain) await startPlay({domain: name, task: domain.tasks[0].id});
}

/** Start a play, and go to it. */
export async function startPlay(asked) {
  const started = await attempt(() => post("api/plays", asked));
  if (started) go(link("play", started.play, 0, "talk"));
}

function drawDomainList(cards) {
  const count = (title, view) => ({title, number: true, by: (card) => card[view], draw: (card) =>
    card[view] ? html`<a href=${link("domain", card.name, view)} aria-label=${`${card[view]} ${view} of ${card.name}`}>${card[view]}</a>` : "–"});
  return html`${drawList("domains", "Domains", [
    {title: "Domain", by: (card) => card.title, draw: (card) => html`<a href=${link("domain", card.name)}>${card.title}</a><small class="mono">${card.name}</small>`},
    {title: "What it is", draw: (card) => card.about},
    count("Tables", "tables"),
    count("Tools", "tools"),
    count("Tasks", "tasks"),
  ], cards.filter((card) => !card.error))}${cards.filter((card) => card.error).map(drawBroken)}`;
}

function drawBroken(card) {
  const [first, ...rest] = card.error.split("\n");
  return html`<div class="card broken" role="group" aria-label=${card.title}>
    <h3>${card.title}</h3>
    <p class="bad">✕ This domain cannot be loaded.</p>
    <p class="lines">${first}</p>
    ${rest.length ? html`<details><summary>${counted(rest.length, "more fault")}</summary>
      <p class="lines">${rest.join("\n")}</p></details>` : nothing}</div>`;
}

/** The plays of this server, the latest first. */
export function drawPlays() {
  return html`<h1>Plays</h1>
    <p class="muted">A play is a task that you or an agent go through step by step. Plays live as long as the server.</p>
    <div class="two-columns">
      <section class="card" aria-label="Start a play"><h2>Start a play</h2>${drawStart()}</section>
      <section aria-label="Plays">${whenRead("api/plays", (plays) => plays.length
        ? drawPlayList(plays) : html`<p class="muted">None yet. Start one here, or by <b>Play</b> in the tasks of a domain.</p>`)}</section>
    </div>`;
}

function drawPlayList(plays) {
  return drawList("plays", "Plays", [
    {title: "Task", by: (play) => play.title, draw: (play) => html`<a href=${link("play", play.play, play.steps - 1, "talk")}>${play.title}</a><small class="mono">${play.task}</small>`},
    {title: "Domain", by: (play) => play.domain_title, draw: (play) => play.domain_title},
    {title: "Steps", number: true, by: (play) => play.steps, draw: (play) => play.steps},
    {title: "State", by: (play) => play.done, draw: (play) => (play.done ? "over" : "open")},
  ], plays);
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
    <details><summary>More choices</summary>
      <label class="field"><span>User</span><input name="user" list="users" value="scripted">
        <datalist id="users">${USERS.map((user) => html`<option value=${user}></option>`)}</datalist>
        <small>a script, nobody who answers, or a model</small></label>
      ${domain.handbook ? html`<label class="field"><span>Policy</span><select name="policy">
        <option value="prompt">in the prompt</option><option value="handbook">in a handbook, to be searched</option></select></label>` : nothing}
      <label class="field"><span>Seed</span><input name="seed" type="number" min="0" step="1" value="0">
        <small>varies the user's small words</small></label>
      <label class="field"><span>Poison</span><select name="poison"><option>none</option><option>mild</option></select>
        <small>mild: a text in a row asks for something else</small></label>
    </details>
    <button class="primary">Start</button>`;
}

function start(event) {
  event.preventDefault();
  const {domain, task, user, seed, policy, poison} = event.target.elements;
  const played = {domain: domain.value, policy: policy?.value ?? "prompt"};
  return startPlay(task.value
    ? {...played, task: task.value, user: user.value.trim(), seed: Number(seed.value), poison: poison.value}
    : played);
}
