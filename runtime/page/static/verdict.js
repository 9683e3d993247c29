// The verdict: whether the goal is reached, what is missing, what is too much, which rule was broken, and by which step.

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
const MOST_RULES = 4; // broken rules above what differs; the others open below
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
          <p>${Object.entries(verdict.components).map(([name, made]) => html`<span class=${`badge ${made ? "good" : "bad"}`}>${made ? "✓" : "✕"} ${name.replaceAll("_", " ")}</span> `)}</p>`}
    </div>
    ${verdict.violations.length ? html`<h3>Broken rules</h3>${drawViolations(verdict.violations.slice(0, MOST_RULES), see)}` : nothing}
    ${verdict.violations.length > MOST_RULES ? html`<details><summary>${verdict.violations.length - MOST_RULES} more</summary>
      ${drawViolations(verdict.violations.slice(MOST_RULES), see)}</details>` : nothing}
    ${verdict.sentences.length ? html`<h3>What differs</h3><ul class="findings">${verdict.sentences.map((each) => html`<li>${each}</li>`)}</ul>` : nothing}
    ${drawList("Answers that the user needs", verdict.answers, (each) => html`${each.name}: <b>${drawValue(each.value)}</b>`, ANSWERS)}
    ${drawList("Checks of the end", verdict.checks, (each) => each.claim, ROWS)}
    ${judged.length ? html`<h3>Rows</h3><div class="verdict-rows">${judged.map((row) => drawRow(row, see))}</div>` : nothing}
    ${!judged.length && !verdict.answers.length && !verdict.checks.length ? html`<p class="muted">No row is to be changed, and none was.</p>` : nothing}
    ${ignored.length ? html`<details><summary>${counted(ignored.length, "row")} that ${ignored.length === 1 ? "does" : "do"} not count</summary>
      <div class="verdict-rows">${ignored.map((row) => drawRow(row, see))}</div></details>` : nothing}
  </div>`;
}

function drawViolations(violations, see) {
  return html`<ul class="bare">${violations.map((each) => html`<li>
    ${drawViolation(each.sentence, see.rules?.find((rule) => rule.code === each.rule), drawStepLink(each.step, see))}</li>`)}</ul>`;
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
  return html`<article class=${`card verdict-row ${kind}`}>
    <header class="row"><b class="mono">${row.table}</b> <span class="mono grow">${row.key.join(" / ")}</span>
      <small>${row.kind}</small>
      <span class=${`badge ${kind}`}>${mark} ${word}</span> ${drawStepLink(row.step, see)}</header>
    ${row.columns.length && row.status !== "missing" ? html`<table>
      <thead><tr><th scope="col"></th><th scope="col">expected</th><th scope="col">found</th></tr></thead>
      <tbody>${row.columns.map(drawColumn)}</tbody></table>` : nothing}
    ${row.status === "missing" ? html`<dl>${row.columns.filter((column) => "wanted" in column && column.wanted !== null).map((column) => html`
      <dt>${column.name}</dt><dd>${"was" in column ? html`<del>${drawValue(column.was)}</del> → ` : nothing}${drawValue(column.wanted)}</dd>`)}</dl>` : nothing}
  </article>`;
}

function drawColumn(column) {
  const isBad = column.status === "wrong" || column.status === "extra";
  const expected = "wanted" in column ? drawValue(column.wanted)
    : html`<span class="muted">${column.status === "extra" ? "unchanged" : "anything"}</span>`;
  const found = "found" in column ? drawValue(column.found)
    : html`<span class="muted">–</span>`;
  const was = "was" in column && column.was !== column.found && "found" in column ? html`<del>${drawValue(column.was)}</del> → ` : nothing;
  return html`<tr class=${isBad ? "differs" : nothing}><th scope="row">${CELLS[column.status]} ${column.name}</th>
    <td>${expected}</td><td>${was}${found}</td></tr>`;
}
