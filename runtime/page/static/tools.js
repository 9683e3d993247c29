// The tools of a domain: a list by topic with a find box, and one tool with its form; used by Play and by a domain.

import {drawForm} from "./form.js";
import {html, nothing} from "./lit-html.js";

/** The list, or the chosen tool with its form; `see` is {tool, find, busy}, `act` is {choose, find, send}. */
export function drawTools(key, tools, see, act) {
  const chosen = tools.find((each) => each.name === see.tool);
  return html`
    <input type="search" aria-label="Find a tool" placeholder=${`Find one of ${tools.length} tools`} .value=${see.find}
      @input=${(event) => act.find(event.target.value)}>
    ${see.find || !chosen ? drawToolList(tools, see, act.choose) : drawOneTool(key, chosen, see, act)}`;
}

/** The tools whose name or description has a text, by topic. */
export function drawToolList(tools, see, choose) {
  const found = tools.filter((tool) => hasText(tool, see.find));
  const topics = [...new Set(found.map((tool) => tool.topic))];
  if (!found.length) return html`<p class="muted">No tool has “${see.find}” in its name or description.</p>`;
  return html`<div class="tool-list">${topics.map((topic) => html`
    <h4>${topic}</h4>
    <ul class="bare">${found.filter((tool) => tool.topic === topic).map((tool) => html`
      <li><button type="button" class="tool-name" aria-pressed=${tool.name === see.tool ? "true" : "false"}
        @click=${() => choose(tool.name)}>${tool.name}${drawWrites(tool)}</button></li>`)}</ul>`)}</div>`;
}

function drawOneTool(key, tool, see, act) {
  return html`
    <button type="button" class="back" @click=${() => act.choose(null)}>‹ All tools</button>
    <h3 class="tool-title">${tool.name}${drawWrites(tool)}</h3>
    ${drawDescription(tool.description)}
    ${drawForm(`${key} ${tool.name}`, tool, {
      busy: see.busy,
      send: (given) => act.send(tool.name, given),
    })}`;
}

/** The first sentence of a description, and the rest of it to open. */
export function drawDescription(text) {
  const [first, ...rest] = text.split("\n\n");
  return html`<p>${first}</p>${rest.length ? html`
    <details><summary>More</summary>${rest.map((part) => html`<p class="lines">${part}</p>`)}</details>` : nothing}`;
}

function drawWrites(tool) {
  return tool.reads_only ? nothing : html` <small class="muted" title="It can change rows">writes</small>`;
}

function hasText(tool, text) {
  const words = text.toLowerCase().replaceAll("_", " ").split(" ");
  const known = `${tool.name} ${tool.description}`.toLowerCase().replaceAll("_", " ");
  return words.every((word) => known.includes(word));
}
