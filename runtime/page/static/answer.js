// What a call was given and what it answered, to read: objects as names and values, lists of alike objects as tables.

import {html, nothing} from "./lit-html.js";
import {drawValue} from "./page.js";

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
