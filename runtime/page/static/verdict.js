// The verdict: whether the goal is reached, what is missing, what is too much, which rule was broken, and by which step.

import {drawDay} from "./day.js";
import {html, nothing} from "./lit-html.js";
import {drawWords} from "./markdown.js";
import {counted, drawValue} from "./page.js";

const ROWS = {
  made: {mark: "✓", word: "as expected", kind: "good"},
  wrong: {mark: "≠", word: "wrong", kind: "bad"},
  missing: {mark: "✕", word: "missing", kind: "bad"},
  extra: {mark: "+", word: "too much", kind: "bad"},
  ignored: {mark: "·", word: "does not count", kind: ""},
  unjudged: {mark: "?", word: "not judged", kind: ""},
};
const ANSWERS = {
  told: {mark: "✓", word: "told", kind: "good"},
  missing: {mark: "✕", word: "not told", kind: "bad"},
  wrong: {mark: "≠", word: "told wrong", kind: "bad"},
  unjudged: {mark: "?", word: "not judged", kind: ""},
};
const MOST_TIMES = 3; // that a rule was broken, until all are opened
const CELLS = {same: "✓", accepted: "≈", wrong: "≠", extra: "+", ignored: "·", unjudged: "?"};

/** In one line: the mark, the words and the class of a verdict. */
export function summarize(verdict) {
  if (verdict.reward === null) return {mark: "?", words: "Not judged", kind: ""};
  if (verdict.reward) return {mark: "✓", words: "Goal reached", kind: "good"};
  if (!verdict.sentences.length && verdict.violations.length) return {mark: "⚠", words: "Goal reached, but a rule was broken", kind: "bad"};
  return {mark: "✕", words: "Goal not reached", kind: "bad"};
}

/** That a rule was broken, and what the rule says where that is known. */
export function drawViolation(sentence, rule, step = nothing) {
  return html`<div class="violation"><b>⚠ ${sentence}</b> ${step}${rule ? html`<p>${rule.code}: ${drawWords(rule.text)}</p>` : nothing}</div>`;
}

/** The verdict as a page; `see` is {steps (address of a step by its number), isOver, rules? (of the domain)}. */
export function drawVerdict(verdict, see) {
  const {mark, words, kind} = summarize(verdict);
  const judged = verdict.rows.filter((row) => row.status !== "ignored");
  const ignored = verdict.rows.filter((row) => row.status === "ignored");
  return html`<div class="verdict">
    <div class=${`card verdict-head ${kind}`}>
      <h2><span aria-hidden="true">${mark}</span> ${words}${see.isOver === false ? html` <span class="muted">so far</span>` : nothing}</h2>
      ${verdict.reward === null
        ? html`<p class="muted">A fault that is not the agent's ended it; it counts neither way.</p>`
        : html`<label class="row">progress <progress max="1" .value=${verdict.progress}></progress> ${Math.round(verdict.progress * 100)} %</label>
          <p>${Object.entries(verdict.components).filter(([name]) => !(verdict.messages?.length && name.startsWith("request_"))).map(([name, made]) => html`<span class=${`badge ${made ? "good" : "bad"}`}>${made ? "✓" : "✕"} ${name.replaceAll("_", " ")}</span> `)}</p>`}
    </div>
    ${verdict.messages?.length ? drawDay(verdict, see) : nothing}
    ${verdict.violations.length ? html`<h3>Broken rules</h3><ul class="bare">${
      [...Map.groupBy(verdict.violations, (each) => each.rule)].map(([code, times]) => drawBroken(code, times, see))}</ul>` : nothing}
    ${verdict.sentences.length ? html`<h3>What differs</h3><ul class="findings">${verdict.sentences.map((each) => html`<li>${each}</li>`)}</ul>` : nothing}
    ${verdict.messages?.length ? nothing : drawDecisions(verdict.decisions ?? [])}
    ${drawList("Answers that the user needs", verdict.answers, (each) => html`${each.name}: <b>${drawValue(each.value)}</b>`, ANSWERS)}
    ${drawList("Checks of the end", verdict.checks, (each) => each.claim, ROWS)}
    ${verdict.events?.length ? html`<h3>What happens on the clock</h3><ul class="findings">${verdict.events.map((each) => html`<li>${each}</li>`)}</ul>` : nothing}
    ${judged.length ? html`<h3>Rows</h3><div class="verdict-rows">${judged.map((row) => drawRow(row, see))}</div>` : nothing}
    ${!judged.length && !verdict.answers.length && !verdict.checks.length ? html`<p class="muted">No row is to be changed, and none was.</p>` : nothing}
    ${ignored.length ? html`<details><summary>${counted(ignored.length, "row")} that ${ignored.length === 1 ? "does" : "do"} not count</summary>
      <div class="verdict-rows">${ignored.map((row) => drawRow(row, see))}</div></details>` : nothing}
  </div>`;
}

/** What an expert task asks to be decided, each with whether it was decided right. */
function drawDecisions(decisions) {
  const wrong = decisions.filter((each) => !each.right).length;
  return decisions.length ? html`<h3>Decisions <span class="muted">${decisions.length - wrong} of ${decisions.length} right</span></h3>
    <ul class="bare">${decisions.map((each) => html`<li><span class=${`badge ${each.right ? "good" : "bad"}`}>${each.right ? "✓" : "✕"}</span> ${each.sentence}</li>`)}</ul>` : nothing;
}

/** A rule, and each time that it was broken. */
function drawBroken(code, times, see) {
  const rule = see.rules?.find((each) => each.code === code);
  const drawTime = (each) => html`<li>${each.sentence} ${drawStepLink(each.step, see)}</li>`;
  return html`<li class="violation"><b>⚠ ${code}</b> ${times.length > 1 ? html`<span class="badge bad">${times.length} times</span>` : nothing}
    ${rule ? html`<p>${drawWords(rule.text)}</p>` : nothing}
    <ul class="findings">${times.slice(0, MOST_TIMES).map(drawTime)}</ul>
    ${times.length > MOST_TIMES ? html`<details><summary>${times.length - MOST_TIMES} more</summary>
      <ul class="findings">${times.slice(MOST_TIMES).map(drawTime)}</ul></details>` : nothing}</li>`;
}

function drawStepLink(step, see) {
  return step === null || step === undefined ? nothing : html`<a href=${see.steps(step)}>step ${step}</a>`;
}

function drawList(title, items, drawItem, words) {
  if (!items.length) return nothing;
  return html`<h3>${title}</h3><ul class="findings">${items.map((each) => {
    const {mark, word, kind} = words[each.status];
    return html`<li><span class=${`badge ${kind}`}>${mark} ${word}</span> ${drawItem(each)}</li>`;
  })}</ul>`;
}

function drawRow(row, see) {
  const {mark, word, kind} = ROWS[row.status];
  const wanted = row.columns.filter((column) => "wanted" in column && column.wanted !== null);
  return drawCard(row, `verdict-row ${kind}`, html`<small>${row.kind}</small> <span class=${`badge ${kind}`}>${mark} ${word}</span> ${drawStepLink(row.step, see)}`,
    row.status === "missing"
      ? html`<dl>${wanted.map((column) => html`<dt>${column.name}</dt><dd>${drawDifference(column.was, column.wanted)}</dd>`)}</dl>`
      : row.columns.length ? html`<table>
          <thead><tr><th scope="col"></th><th scope="col">expected</th><th scope="col">found</th></tr></thead>
          <tbody>${row.columns.map(drawColumn)}</tbody></table>` : nothing);
}

/** A row of the database: its table and key, what is said of it, and its cells. */
function drawCard({table, key}, look, about, cells) {
  return html`<article class=${`card row-card ${look}`}>
    <header class="row"><b class="mono">${table}</b> <span class="mono grow">${key.join(" / ")}</span> <span>${about}</span></header>
    ${cells}</article>`;
}

/** What a cell was, and what it is; `kind` is that of its row. */
function drawDifference(was, now, kind = was === undefined || was === now ? "added" : "changed") {
  if (kind === "added") return html`<ins>${drawValue(now)}</ins>`;
  if (kind === "removed") return html`<del>${drawValue(was)}</del>`;
  return html`<del>${drawValue(was)}</del> <span aria-hidden="true">→</span><span class="hidden-name"> became </span> <ins>${drawValue(now)}</ins>`;
}

function drawColumn(column) {
  const isBad = column.status === "wrong" || column.status === "extra";
  const expected = "wanted" in column ? drawValue(column.wanted)
    : html`<span class="muted">${column.status === "extra" ? "unchanged" : "anything"}</span>`;
  const found = "found" in column ? drawDifference(column.was, column.found) : html`<span class="muted">–</span>`;
  return html`<tr class=${isBad ? "differs" : nothing}><th scope="row">${CELLS[column.status]} ${column.name}</th>
    <td>${expected}</td><td>${found}</td></tr>`;
}

// changed rows as cards, each cell with what it was and what it is: for a step, for what came before, to compare

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
  const isThere = (value) => value !== null && value !== undefined;
  return html`<div class="changed-rows">${rows.map((row) => {
    const cells = [...row.cells.values()].filter((cell) => row.kind === "changed" || isThere(cell.was) || isThere(cell.now));
    return drawCard(row, `changed-row ${row.kind}`, html`
      <span class="badge">${MARKS[row.kind]} ${see.words?.[row.kind] ?? row.kind}</span>
      ${see.steps ? drawStepLink(row.step, see) : nothing}
      ${see.open ? html`<button type="button" class="plain" title="Show the row in its table" aria-label=${`Show ${row.table} ${row.key.join(" / ")} in its table`} @click=${() => see.open(row.table, row.key)}>→</button>` : nothing}`,
      html`<dl>${cells.map((cell) => html`<dt>${cell.column}</dt><dd>${drawDifference(cell.was, cell.now, row.kind)}</dd>`)}</dl>`);
  })}</div>`;
}
