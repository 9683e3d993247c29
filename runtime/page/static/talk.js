// The conversation up to a step: what was said, and the calls between with their answers.

import {drawAnswer, drawGiven} from "./answer.js";
import {html, nothing} from "./lit-html.js";
import {describeStep} from "./steps.js";

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
    ${path.map((step) => html`<div class="talk-step" data-step=${step.number}>${drawStep(step, see)}</div>`)}
    ${see.pending ? html`<div class="talk-step pending">${bubble("assistant", see.agent, see.pending, nothing)}
      <p class="waiting muted" role="status">waiting for the answer…</p></div>` : nothing}
  </div>`;
}

function drawStep(step, see) {
  const who = step.by && step.by !== "you" ? step.by : see.agent;
  const jump = html`<button type="button" class="step-number" title=${`Go to step ${step.number}`} aria-label=${`Go to step ${step.number}`} @click=${() => see.show(step.number)}>${step.number}</button>`;
  return html`
    ${step.kind === "say" && !step.text?.trim() ? html`<p class="muted">${jump} ${who} gave up. ${step.note ?? ""}</p>` : nothing}
    ${step.text?.trim() ? bubble("assistant", who, step.text, jump) : nothing}
    ${step.kind === "call" ? drawCall(step, see, jump) : nothing}
    ${step.replies.filter((reply) => reply.role !== "tool").map((reply) =>
      reply.role === "user" ? bubble("user", "User", reply.text, nothing) : bubble("assistant", "Assistant", reply.text, nothing))}
    ${step.done ? html`<p class="talk-end">■ The conversation is over${step.ended && step.ended !== "done" ? `: ${step.ended.replaceAll("_", " ")}` : ""}.</p>` : nothing}`;
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
