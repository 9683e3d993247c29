// The conversation up to a step: what was said, and the calls between with their answers.

import {html, nothing} from "./lit-html.js";
import {drawValue} from "./page.js";
import {describeStep, groupAlike} from "./timeline.js";

const MANY = 3; // steps that are alike, from which on they are folded

let shownLast = "";

/**
 * The steps of a path as a conversation.
 *
 * `see` is {name, agent (who the assistant is), pending (what is being said or called, while it is), show(number), use(value)?}.
 */
export function drawTalk(path, see) {
  const current = path.at(-1).number;
  scrollToEnd(`${see.name}/${current}/${see.pending ?? ""}`);
  return html`<div class="talk" role="log" aria-label="Conversation" tabindex="0">
    ${groupAlike(path, current, sortForTalk).map((steps) => (steps.length < MANY ? steps.map((step) => drawStep(step, see)) : html`<details class="fold">
      <summary>${describeRun(steps)}</summary>${steps.map((step) => drawStep(step, see))}</details>`))}
    ${see.pending ? html`<div class="talk-step pending">${bubble("assistant", see.agent, see.pending, nothing)}
      <p class="waiting muted" role="status">waiting for the answer…</p></div>` : nothing}
  </div>`;
}

/** Look-ups are alike, calls refused in the same way, and the same words said again. */
function sortForTalk(step) {
  const {kind, note} = describeStep(step);
  if (["looked", "accepted"].includes(kind) && !step.text) return kind;
  return step.refused || kind === "say" ? [kind, step.tool, note, step.text].join() : null;
}

function describeRun(steps) {
  const {mark, title, note, kind} = describeStep(steps[0]);
  const names = [...new Set(steps.map((step) => step.tool))];
  const what = kind === "say" ? `“${title}” said again` : kind === "looked" ? `looked up: ${names.join(", ")}` : kind === "accepted" ? `accepted: ${names.join(", ")}` : `${names[0]}: ${note}`;
  return html`<span aria-hidden="true">${mark}</span> ${steps.length} × ${what} <small>steps ${steps[0].number} to ${steps.at(-1).number}</small>`;
}

function drawStep(step, see) {
  const who = step.by && step.by !== "you" ? step.by : see.agent;
  const jump = html`<button type="button" class="step-number" title=${`Go to step ${step.number}`} aria-label=${`Go to step ${step.number}`} @click=${() => see.show(step.number)}>${step.number}</button>`;
  return html`<div class="talk-step" data-step=${step.number}>
    ${step.kind === "say" && !step.text?.trim() ? html`<p class="muted">${jump} ${who} gave up. ${step.note ?? ""}</p>` : nothing}
    ${step.text?.trim() ? bubble("assistant", who, step.text, jump) : nothing}
    ${step.kind === "call" ? drawCall(step, see, jump) : nothing}
    ${(step.time?.events ?? []).map(drawEvent)}
    ${step.replies.filter((reply) => reply.role !== "tool").map((reply) =>
      reply.role === "user" ? bubble("user", "User", reply.text, nothing) : bubble("assistant", "Assistant", reply.text, nothing))}
    ${step.done ? html`<p class="talk-end">■ The conversation is over${step.ended && step.ended !== "done" ? `: ${step.ended.replaceAll("_", " ")}` : ""}.</p>` : nothing}</div>`;
}

/** Something that happened on the clock: when, what it did, and what the office was told. */
function drawEvent(event) {
  return html`<p class=${event.refused ? "violation" : "muted"}><span aria-hidden="true">◷</span> <b>${event.at.slice(0, 16)}</b> ${event.event}${
    event.did ? `: ${event.did}` : ""}${event.notice ? html` <q>${event.notice}</q>` : nothing}${event.refused ? ` (refused: ${event.refused})` : ""}</p>`;
}

function bubble(role, who, text, jump) {
  return html`<div class=${`bubble ${role}`}><div class="bubble-who">${who} ${jump}</div><div class="bubble-text">${text}</div></div>`;
}

function drawCall(step, see, jump) {
  const {mark, note, kind} = describeStep(step);
  return html`<div class=${`call ${kind}`}>
    <details .open=${step.refused || kind === "broken"}>
      <summary><span class="step-mark" aria-hidden="true">${mark}</span> <span class="mono call-name">${step.tool}</span>
        <span class="call-note">${kind === "looked" ? "" : note}</span>${jump}</summary>
      ${drawGiven(step.arguments, see.use)}
      ${drawAnswer(step, see.use)}
      ${(step.violations ?? []).map((sentence) => html`<p class="violation">⚠ ${sentence}</p>`)}
    </details>
  </div>`;
}

function scrollToEnd(key) {
  if (key === shownLast) return;
  shownLast = key;
  requestAnimationFrame(() => {
    const talk = document.querySelector(".talk");
    if (!talk?.lastElementChild) return;
    const last = talk.lastElementChild;
    const top = last.offsetHeight > talk.clientHeight ? last.offsetTop - talk.offsetTop : talk.scrollHeight;
    talk.scrollTo({top, behavior: "smooth"});
  });
}

// what a call was given and what it answered: objects as names and values, lists of alike objects as tables

const MOST_ITEMS = 100; // of a list

/** The arguments of a call; `use(value)`, if there is one, takes a value that is clicked. */
export function drawGiven(given, use) {
  if (!isObject(given)) return html`<pre>${JSON.stringify(given)}</pre>`;
  return Object.keys(given).length ? drawPart(given, use) : html`<p class="muted">no arguments</p>`;
}

/** The answers to a step's calls: a rejection as its sentence, a result as its values. */
export function drawAnswer(step, use) {
  return step.replies.filter((reply) => reply.role === "tool").map(({text}) => {
    if (step.refused) return html`<p class="refusal">${text}</p>`;
    try {
      return html`<div class="call-answer">${drawPart(JSON.parse(text), use)}</div>`;
    } catch {
      return html`<pre class="call-answer">${text}</pre>`;
    }
  });
}

function drawPart(value, use) {
  if (Array.isArray(value)) return drawList(value, use);
  if (isObject(value)) {
    return html`<dl>${Object.entries(value).map(([name, part]) => html`<dt>${name}</dt><dd>${drawPart(part, use)}</dd>`)}</dl>`;
  }
  if (!use || value === null) return drawValue(value);
  return html`<span class="usable" title="Click to put it into the form" @click=${() => use(value)}>${drawValue(value)}</span>`;
}

function drawList(items, use) {
  if (!items.length) return html`<span class="muted">none</span>`;
  const shown = items.slice(0, MOST_ITEMS);
  const more = items.length > shown.length ? html`<p class="muted">and ${items.length - shown.length} more</p>` : nothing;
  const isTable = shown.every((item) => isObject(item) && !Object.values(item).some((part) => typeof part === "object" && part !== null));
  if (!isTable) return html`<ol class="parts">${shown.map((item) => html`<li>${drawPart(item, use)}</li>`)}</ol>${more}`;
  const names = [...new Set(shown.flatMap(Object.keys))];
  return html`<div class="scroll"><table><thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${shown.map((item) => html`<tr>${names.map((name) => html`<td>${drawPart(item[name] ?? null, use)}</td>`)}</tr>`)}</tbody>
  </table></div>${more}`;
}

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
