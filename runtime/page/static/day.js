// A day at the office: its messages in their order, which of them went right, and one of them at a time.

import {html, nothing} from "./lit-html.js";
import {memory, remember} from "./page.js";

const THIRDS = ["first", "middle", "last"];
const mark = (right) => (right ? "✓" : "✕");
const look = (right) => (right ? "good" : "bad");

/** The messages of a day; `see` is that of the verdict. Of a message it shows what it says, what became of it, what was right. */
export function drawDay(verdict, see) {
  const {messages} = verdict;
  const memo = memory("day", {at: messages.find((each) => !each.right)?.number ?? 1});
  const at = messages[Math.min(memo.at, messages.length) - 1];
  const thirds = THIRDS.map((name, third) => ({name, own: messages.filter((each) => Math.floor((3 * (each.number - 1)) / messages.length) === third)}));
  return html`<section class="day" aria-label="Messages of the day">
    <h3>Messages <span class="muted">${messages.filter((each) => each.right).length} of ${messages.length} right</span></h3>
    <div class="day-thirds">${thirds.map(({name, own}) => html`<div>
      <small class="muted">${name} third, ${Math.round((100 * own.filter((each) => each.right).length) / Math.max(own.length, 1))} % right</small>
      <div class="day-strip">${own.map((each) => html`<button type="button" class=${`day-item ${look(each.right)}`} aria-current=${each === at ? "true" : nothing}
        aria-label=${`Message ${each.number}, ${each.right ? "right" : "wrong"}: ${each.subject}`} title=${each.subject}
        @click=${() => remember(memo, {at: each.number})}>${mark(each.right)}<small>${each.number}</small></button>`)}</div></div>`)}</div>
    ${drawMessage(at, verdict, see)}
  </section>`;
}

function drawMessage(message, verdict, see) {
  const row = verdict.rows.find((each) => each.table === message.table && each.key[0] === message.id);
  const told = (row?.columns ?? []).filter((each) => !["state", "closed_at"].includes(each.name));
  const found = told.filter((each) => each.found !== undefined && each.found !== null);
  return html`<article class="card day-message">
    <header class="row"><b class="grow">${message.subject}</b> <span class=${`badge ${look(message.right)}`}>${mark(message.right)} ${message.right ? "right" : "wrong"}</span></header>
    <small class="muted">${message.number}. ${message.sender}, ${message.arrived}${row?.step ? html`, closed in <a href=${see.steps(row.step)}>step ${row.step}</a>` : row?.status === "missing" ? ", left undone" : nothing}</small>
    <pre>${message.body}</pre>
    <p>${message.sentence}</p>
    ${found.length ? html`<dl>${found.map((each) => html`<dt>${each.name}</dt><dd class=${each.status === "wrong" ? "differs" : nothing}>${each.found}${
      each.status === "wrong" ? ` (expected ${each.wanted ?? "nothing"})` : nothing}</dd>`)}</dl>` : nothing}
  </article>`;
}
