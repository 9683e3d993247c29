// Farms: the list of them; and one: every build with its stage, figures and what it waits for, and what is not kept.

import {html, nothing} from "./lit-html.js";
import {counted, link, whenRead} from "./page.js";
import {drawList} from "./tables.js";

const LOOKS = {keep: "good", mend: "warn", look: "warn", failed: "bad", building: "now", checking: "now"};
const ORDER = ["building", "checking", "failed", "mend", "look", "waiting", "built elsewhere", "keep"];
const MOST_WHY = 12; // reasons of a build

/** The farms of this folder. */
export function drawFarms() {
  return html`<h1>Farms</h1>${whenRead("api/farms", (farms) => (farms.length ? drawList("farms", "Farms", [
    {title: "Farm", by: (farm) => farm.farm, draw: (farm) => html`<a href=${link("farm", farm.farm)}>${farm.title || farm.farm}</a> ${farm.runs ? html`<span class="badge now">● running</span>` : nothing}`},
    {title: "Builds", draw: (farm) => (farm.error ? html`<span class="bad">✕ ${farm.error}</span>` : drawStates(farm.states))},
  ], farms) : html`<p class="card">No farm is here yet. <code>worldsmith farm FILE.toml</code> builds the domains of a list; it shows up here
    as soon as it begins. For a list elsewhere, start <code>worldsmith studio --farm FILE.toml</code>.</p>`))}`;
}

/** One farm: #/farm/NAME. */
export function drawFarm([, name]) {
  return whenRead(`api/farms/${encodeURIComponent(name)}`, ({title, file, max_cost: most, builds, runs, at}) => {
    const isOver = builds.every(({state}) => LOOKS[state] && LOOKS[state] !== "now");
    const costs = builds.map(({cost}) => cost);
    const when = new Date(at * 1000).toLocaleTimeString();
    return html`<article class="stack"><h1>${title || name}</h1>
      <p class="row" role="status" aria-label="The whole farm">
        <span class="badge ${runs ? "now" : ""}">${runs ? "● running" : isOver ? "over" : "stopped"}</span>
        ${drawStates(builds.map(({state}) => state))}
        <span>${counted(sum(builds.map(({tokens}) => tokens)), "token")}</span>
        <span>${costs.includes(null) ? "cost unknown" : dollars(sum(costs))}${most === null ? "" : ` of ${dollars(most)}`}</span>
        <span class="muted">as of ${when}</span></p>
      ${runs || isOver ? nothing : html`<p class="muted">The same command goes on from there and asks nothing twice: <code>worldsmith farm ${file}</code></p>`}
      ${drawList(`farm ${name}`, "Builds", COLUMNS, [...builds].sort((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state)))}
      ${builds.filter(({todo}) => todo).map(drawLacking)}</article>`;
  });
}

const COLUMNS = [
  {title: "Domain", by: (build) => build.domain, draw: (build) => html`${build.page ? html`<a href=${link("domain", build.page)}>${build.keyword}</a>` : build.keyword}<small class="mono">${build.domain}</small>`},
  {title: "State", by: (build) => ORDER.indexOf(build.state), draw: (build) => html`${drawState(build.state)} ${build.stage}`},
  {title: "Question", by: (build) => build.question, draw: (build) => build.question},
  {title: "Tokens", number: true, by: (build) => build.tokens, draw: (build) => build.tokens.toLocaleString("en")},
  {title: "Cost", number: true, by: (build) => build.cost, draw: (build) => (build.cost === null ? "unknown" : dollars(build.cost))},
  {title: "Time", number: true, by: (build) => build.seconds, draw: (build) => spell(build.seconds)},
  {title: "Left", number: true, by: (build) => build.left, draw: (build) => (build.left === null ? "" : `about ${spell(build.left)}`)},
  {title: "Waits for", by: (build) => build.waits_for, draw: (build) => build.waits_for},
];

function drawLacking({domain, keyword, state, why, todo}) {
  return html`<section class="card" aria-label=${`Not kept: ${domain}`}>
    <h2>${keyword} ${drawState(state)}</h2>
    <ul>${why.slice(0, MOST_WHY).map((each) => html`<li class="lines">${each}</li>`)}</ul>
    ${why.length > MOST_WHY ? html`<p class="muted">and ${why.length - MOST_WHY} more</p>` : nothing}
    <p>Next: ${todo.split("`").map((part, place) => (place % 2 ? html`<code>${part}</code>` : part))}.</p></section>`;
}

const drawState = (state) => html`<span class="badge ${LOOKS[state] ?? ""}">${state}</span>`;

function drawStates(states) {
  const found = ORDER.filter((state) => states.includes(state));
  return found.map((state) => html`<span class="badge ${LOOKS[state] ?? ""}">${states.filter((each) => each === state).length} ${state}</span> `);
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
const dollars = (amount) => `$${amount.toFixed(2)}`;

/** A duration as the terminal says it: 42 s, 3:05 min, 2:07 h. */
function spell(seconds) {
  if (seconds < 60) return `${seconds} s`;
  const [small, unit] = seconds < 3600 ? [seconds, "min"] : [seconds / 60, "h"];
  return `${Math.floor(small / 60)}:${String(Math.floor(small % 60)).padStart(2, "0")} ${unit}`;
}
