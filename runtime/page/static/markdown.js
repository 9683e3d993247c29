// The little Markdown that policies are written in: headings, lists, tables, bold words and code; all else is plain text.

import {html} from "./lit-html.js";

/** A Markdown text as elements; only text nodes are made of what it says. */
export function drawMarkdown(text) {
  return html`<div class="markdown">${text.trim().split(/\n{2,}/).map((block) => drawBlock(block))}</div>`;
}

function drawBlock(block) {
  const lines = block.split("\n");
  if (lines.every((line) => /^[-*] /.test(line))) {
    return html`<ul>${lines.map((line) => html`<li>${drawWords(line.slice(2))}</li>`)}</ul>`;
  }
  if (lines.every((line) => /^\d+\. /.test(line))) {
    return html`<ol>${lines.map((line) => html`<li>${drawWords(line.replace(/^\d+\. /, ""))}</li>`)}</ol>`;
  }
  if (lines.length > 2 && lines.every((line) => line.startsWith("|"))) return drawTable(lines);
  if (lines.length === 1 && block.startsWith("# ")) return html`<h3>${block.slice(2)}</h3>`;
  if (lines.length === 1 && block.startsWith("## ")) return html`<h4>${block.slice(3)}</h4>`;
  return html`<p>${drawWords(block)}</p>`;
}

function drawTable([head, , ...rows]) {
  const cells = (line) => line.split("|").slice(1, -1).map((cell) => drawWords(cell.trim()));
  return html`<div class="scroll"><table><thead><tr>${cells(head).map((cell) => html`<th>${cell}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${cells(row).map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** Bold words and code within a sentence. */
export function drawWords(text) {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part) => {
    if (part.startsWith("**") && part.length > 4) return html`<b>${part.slice(2, -2)}</b>`;
    return part.startsWith("`") && part.length > 2 ? html`<code>${part.slice(1, -1)}</code>` : part;
  });
}
