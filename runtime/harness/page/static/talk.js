// The conversation up to a step: what was said, and the calls between with their answers.

import {html, nothing} from "./lit-html.js";
import {drawValue} from "./page.js";
import {describeStep} from "./steps.js";

const MOST_ITEMS = 50; // of a list in an answer

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
    ${path.map((step) => html`<div class="talk-step" data-step=${step.number}>${drawStep(step, see, step.number === current)}</div>`)}
    ${see.pending ? html`<div class="talk-step pending">${bubble("assistant", see.agent, see.pending, nothing)}
      <p class="waiting muted" role="status">waiting for the answer…</p></div>` : nothing}
  </div>`;
}

function drawStep(step, see, isCurrent) {
  const who = step.by && step.by !== "you" ? step.by : see.agent;
  const jump = html`<button type="button" class="step-number" title=${`Go to step ${step.number}`} aria-label=${`Go to step ${step.number}`} @click=${() => see.show(step.number)}>${step.number}</button>`;
  return html`
    ${step.kind === "say" && !step.text?.trim() ? html`<p class="muted">${jump} ${who} gave up. ${step.note ?? ""}</p>` : nothing}
    ${step.text?.trim() ? bubble("assistant", who, step.text, jump) : nothing}
    ${step.kind === "call" ? drawCall(step, see, isCurrent, jump) : nothing}
    ${step.replies.filter((reply) => reply.role !== "tool").map((reply) =>
      reply.role === "user" ? bubble("user", "User", reply.text, nothing) : bubble("assistant", "Assistant", reply.text, nothing))}
    ${step.done ? html`<p class="talk-end">■ The conversation is over${step.ended && step.ended !== "done" ? `: ${step.ended.replaceAll("_", " ")}` : ""}.</p>` : nothing}`;
}

function bubble(role, who, text, jump) {
  return html`<div class=${`bubble ${role}`}><div class="bubble-who">${who} ${jump}</div><div class="bubble-text">${text}</div></div>`;
}

function drawCall(step, see, isCurrent, jump) {
  const {mark, note, kind} = describeStep(step);
  const answer = step.replies.filter((reply) => reply.role === "tool").map((reply) => reply.text).join("\n");
  return html`<div class=${`call ${kind}`}>
    <details .open=${isCurrent || step.refused || kind === "broken"}>
      <summary><span class="step-mark" aria-hidden="true">${mark}</span> <span class="mono call-name">${step.tool}</span>
        <span class="call-note">${note}</span>${jump}</summary>
      ${drawGiven(step.arguments, see)}
      ${step.refused ? html`<p class="refusal">${answer}</p>` : html`<div class="call-answer">${drawAnswer(answer, see)}</div>`}
      ${(step.violations ?? []).map((sentence) => html`<p class="violation">⚠ ${sentence}</p>`)}
    </details>
  </div>`;
}

function drawGiven(given, see) {
  if (given === null || typeof given !== "object" || Array.isArray(given)) return html`<pre>${JSON.stringify(given)}</pre>`;
  if (!Object.keys(given).length) return nothing;
  return html`<dl class="given">${Object.entries(given).map(([name, value]) => html`<dt>${name}</dt><dd>${drawPart(value, see)}</dd>`)}</dl>`;
}

function drawAnswer(text, see) {
  try {
    return drawPart(JSON.parse(text), see);
  } catch {
    return html`<pre>${text}</pre>`;
  }
}

/** A value of JSON: an object as names and values, a list item by item; a click puts a value into the form's field. */
function drawPart(value, see) {
  if (Array.isArray(value)) {
    if (!value.length) return html`<span class="muted">none</span>`;
    return html`<ol class="parts">${value.slice(0, MOST_ITEMS).map((item) => html`<li>${drawPart(item, see)}</li>`)}
      ${value.length > MOST_ITEMS ? html`<li class="muted">and ${value.length - MOST_ITEMS} more</li>` : nothing}</ol>`;
  }
  if (value !== null && typeof value === "object") {
    return html`<dl>${Object.entries(value).map(([name, part]) => html`<dt>${name}</dt><dd>${drawPart(part, see)}</dd>`)}</dl>`;
  }
  if (!see.use || value === null) return drawValue(value);
  return html`<span class="usable" title="Click to put it into the field of the form" @click=${() => see.use(value)}>${drawValue(value)}</span>`;
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
