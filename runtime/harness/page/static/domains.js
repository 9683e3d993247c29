// The domains as cards, and one of them with its tables, tools, graph, rules and tasks.

import {html} from "./lit-html.js";
import {link, whenRead} from "./page.js";

export function drawDomains() {
  return html`<h1>Domains</h1>
    ${whenRead("api/domains", (cards) => html`<div class="cards">
      ${cards.map((card) => html`<a class="card" href=${link("domain", card.name)}><h2>${card.title}</h2><p>${card.error ?? card.about}</p></a>`)}
    </div>`)}`;
}

export function drawDomain([, name]) {
  return html`<h1>${name}</h1>`;
}
