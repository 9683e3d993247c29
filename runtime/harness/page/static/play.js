// The plays, and one of them: forms and tools, the state, the conversation, under the timeline.

import {html} from "./lit-html.js";

export function drawPlays() {
  return html`<h1>Plays</h1>`;
}

export function drawPlay([, name]) {
  return html`<h1>Play ${name}</h1>`;
}

/** Take an event of the server about a play. */
export function takePlayEvent() {}
