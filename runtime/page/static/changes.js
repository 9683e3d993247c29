// Changed rows as cards, each cell with what it was and what it is; used for a step, for what came before, to compare.

import {html, nothing} from "./lit-html.js";
import {drawValue} from "./page.js";

/** The cells of several steps row by row; of a cell that several changed, what it was first and what it became. */
export function rowsOf(steps) {
  const rows = new Map();
  for (const step of steps) {
    for (const cell of step.cells ?? []) {
      const name = JSON.stringify([cell.table, cell.key]);
      if (!rows.has(name)) rows.set(name, {table: cell.table, key: cell.key, kind: cell.row, cells: new Map(), step: 0});
      const row = rows.get(name);
      const earlier = row.cells.get(cell.column);
      row.cells.set(cell.column, {column: cell.column, was: earlier ? earlier.was : cell.was, now: cell.now});
      row.step = step.number;
      if (cell.row === "removed") row.kind = "removed";
    }
  }
  return [...rows.values()];
}

const MARKS = {added: "+", changed: "✎", removed: "−"};

/** Rows as cards. `see` is {open(table, key)?, steps? (address of a step by its number), words? (of each kind of row)}. */
export function drawRows(rows, see = {}) {
  return html`<div class="changed-rows">${rows.map((row) => drawRow(row, see))}</div>`;
}

function drawRow(row, see) {
  const cells = [...row.cells.values()].filter((cell) => row.kind === "changed" || !isNone(cell.was) || !isNone(cell.now));
  return html`<article class=${`card changed-row ${row.kind}`}>
    <header class="row">
      <b class="mono">${row.table}</b>
      <span class="mono grow">${row.key.join(" / ")}</span>
      <span class="badge">${MARKS[row.kind]} ${see.words?.[row.kind] ?? row.kind}</span>
      ${see.steps ? html`<a href=${see.steps(row.step)}>step ${row.step}</a>` : nothing}
      ${see.open ? html`<button type="button" class="plain" title="Show the row in its table" aria-label=${`Show ${row.table} ${row.key.join(" / ")} in its table`} @click=${() => see.open(row.table, row.key)}>→</button>` : nothing}
    </header>
    <dl>${cells.map((cell) => html`<dt>${cell.column}</dt><dd>${drawCell(cell, row.kind)}</dd>`)}</dl>
  </article>`;
}

function drawCell(cell, kind) {
  if (kind === "added") return html`<ins>${drawValue(cell.now)}</ins>`;
  if (kind === "removed") return html`<del>${drawValue(cell.was)}</del>`;
  return html`<del>${drawValue(cell.was)}</del> <span aria-hidden="true">→</span><span class="hidden-name"> became </span> <ins>${drawValue(cell.now)}</ins>`;
}

function isNone(value) {
  return value === null || value === undefined;
}
