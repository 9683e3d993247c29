// One episode of a run, in the look of a play.

import {html} from "./lit-html.js";

export function drawEpisode([, run, , number]) {
  return html`<h1>Episode ${number} of ${run}</h1>`;
}
