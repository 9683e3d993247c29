// Evaluations: the list of runs, and one run with its figures, its grid and its failures.

import {html} from "./lit-html.js";

export function drawRuns() {
  return html`<h1>Evaluations</h1>`;
}

export function drawRun([, name]) {
  return html`<h1>${name}</h1>`;
}
