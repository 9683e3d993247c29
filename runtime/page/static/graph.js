// The tool graph: a matrix of all tools as overview, the neighbors of one tool, and the calls that prove an edge.

import {html, nothing, svg} from "./lit-html.js";

const KINDS = {
  data_flow: {sign: "■", word: "data", about: "a value that the first tool returns is an argument of the second"},
  precondition: {sign: "◆", word: "enables", about: "the second is refused before the first and accepted after it"},
  shared_state: {sign: "●", word: "affects", about: "the second gives another answer, or is refused, after the first"},
};
const CELL = {least: 15, most: 30}; // pixels of the matrix
const WIDEST = 1500; // pixels of the page, as in the style sheet
const LINE = 30; // pixels from neighbor to neighbor, as in the style sheet

/** The graph's page; `see` is {tool, edge: {source, target} or null}, `act` is {choose(tool), open(edge)}. */
export function drawGraph(graph, tools, see, act) {
  const order = byTopic(tools).filter((tool) => graph.nodes.includes(tool.name));
  const chosen = order.find((tool) => tool.name === see.tool);
  return html`
    <div class="graph-tools">
      <label>Tool <select @change=${(event) => act.choose(event.target.value)}>
        <option value="" ?selected=${!chosen}>all (matrix)</option>
        ${topicsOf(order).map((topic) => html`<optgroup label=${topic}>
          ${order.filter((tool) => tool.topic === topic).map((tool) => html`
            <option value=${tool.name} ?selected=${tool === chosen}>${tool.name}</option>`)}</optgroup>`)}
      </select></label>
      ${drawLegend(graph)}
    </div>
    ${chosen
      ? html`${drawNeighbors(graph, chosen.name, see, act)}${see.edge ? drawEvidence(graph, see.edge, act) : nothing}`
      : html`<div class="graph-sides">${drawMatrix(graph, order, act)}${see.edge ? drawEvidence(graph, see.edge, act) : drawHelp()}</div>`}`;
}

function drawLegend(graph) {
  return html`<ul class="bare legend">${Object.entries(KINDS).map(([kind, {sign, word, about}]) => html`
    <li title=${about}><span class=${`sign ${kind}`} aria-hidden="true">${sign}</span>
      <b>${word}</b> <span class="muted">${graph.edges.filter((edge) => edge.kind === kind).length}</span></li>`)}</ul>`;
}

function drawMatrix(graph, order, act) {
  const place = new Map(order.map((tool, index) => [tool.name, index]));
  const longest = Math.max(...order.map((tool) => tool.name.length));
  const margin = longest * 6.7 + 12;
  const cell = Math.max(CELL.least, Math.min(CELL.most, Math.floor((Math.min(innerWidth, WIDEST) - 36 - margin) / order.length)));
  const size = margin + order.length * cell + 4;
  const at = (name) => margin + (place.get(name) + 0.5) * cell; // the middle of a row or column
  return html`
    <div class="table-box" tabindex="0" role="region" aria-label="Matrix of the tools">
    <svg class="matrix" width=${size} height=${size} viewBox=${`0 0 ${size} ${size}`}>
      ${topicsOf(order).map((topic) => drawBand(order, topic, margin, size, cell))}
      ${order.map((tool) => svg`
        <text x=${margin - 6} y=${at(tool.name) + 4} text-anchor="end"
          @click=${() => act.choose(tool.name)}>${tool.name}</text>
        <text transform=${`translate(${at(tool.name) + 4} ${margin - 6}) rotate(-90)`}
          @click=${() => act.choose(tool.name)}>${tool.name}</text>`)}
      ${graph.edges.map((edge) => svg`<g class=${`edge ${edge.kind}`} @click=${() => act.open(edge)}
        transform=${`translate(${at(edge.target)} ${at(edge.source)}) scale(${cell / CELL.least})`}>
        <title>${edge.source} → ${edge.target}: ${KINDS[edge.kind].word}</title>${MARKS[edge.kind]}</g>`)}
    </svg></div>`;
}

function drawHelp() {
  return html`<section class="card help" aria-label="How to read it"><h3>How to read it</h3>
    <p>A row is what a tool makes possible, a column what makes it possible. Click a mark for the calls that prove it, a
      name for its neighbors.</p>
    <dl>${Object.values(KINDS).map(({word, about}) => html`<dt>${word}</dt><dd>${about}</dd>`)}</dl></section>`;
}

const MARKS = { // several of a pair can be seen at once
  data_flow: svg`<rect x="-6" y="-6" width="12" height="12"></rect>`,
  precondition: svg`<path d="M0 -5L5 0L0 5L-5 0Z"></path>`,
  shared_state: svg`<circle r="2.5"></circle>`,
};

function drawBand(order, topic, margin, size, cell) {
  const first = order.findIndex((tool) => tool.topic === topic);
  const at = margin + first * cell;
  return svg`<path class="band" d=${`M0 ${at}H${size}M${at} 0V${size}`}></path>`;
}

function drawNeighbors(graph, tool, see, act) {
  const before = groupBy(graph.edges.filter((edge) => edge.target === tool && edge.source !== tool), "source");
  const after = groupBy(graph.edges.filter((edge) => edge.source === tool && edge.target !== tool), "target");
  const itself = graph.edges.filter((edge) => edge.source === tool && edge.target === tool);
  const high = Math.max(before.length, after.length, 2) * LINE;
  return html`<div class="neighbors">
    <section><h3>Makes it possible <span class="muted">${before.length}</span></h3>
      ${drawSide(before, act, "No tool has to come first.")}</section>
    ${drawLines(before, high, true)}
    <section class="middle"><h3>${tool}</h3>${drawSigns(itself, act)}
      ${graph.unexecuted?.includes(tool) ? html`<p class="muted">No call of it that succeeds was found.</p>` : nothing}</section>
    ${drawLines(after, high, false)}
    <section><h3>It makes possible <span class="muted">${after.length}</span></h3>
      ${drawSide(after, act, "Nothing depends on it.")}</section></div>`;
}

function drawSide(groups, act, none) {
  if (!groups.length) return html`<p class="muted">${none}</p>`;
  return html`<ul class="bare">${groups.map(({name, edges}) => html`<li>
    <button type="button" class="tool-name" @click=${() => act.choose(name)}>${name}</button>${drawSigns(edges, act)}</li>`)}</ul>`;
}

function drawSigns(edges, act) {
  return html`<span class="signs">${edges.map((edge) => html`<button type="button" class=${`sign ${edge.kind}`}
    title=${`${edge.source} → ${edge.target}: ${KINDS[edge.kind].about}`} @click=${() => act.open(edge)}
    aria-label=${`${KINDS[edge.kind].word}: the calls that prove ${edge.source} → ${edge.target}`}
    >${KINDS[edge.kind].sign} ${KINDS[edge.kind].word}</button>`)}</span>`;
}

/** One line an edge, in the color of its kind, from a neighbor to the tool or from the tool to it. */
function drawLines(groups, high, isBefore) {
  const middle = Math.min(high, 2 * LINE) / 2;
  return html`<svg class="lines-between" width="70" height=${high} aria-hidden="true">${groups.flatMap(({edges}, index) => {
    const y = (index + 0.5) * LINE;
    return edges.map((edge, nth) => {
      const shift = (nth - (edges.length - 1) / 2) * 5;
      const ends = isBefore ? [y + shift, middle + shift] : [middle + shift, y + shift];
      return svg`<path class=${edge.kind} d=${`M2 ${ends[0]}C35 ${ends[0]} 35 ${ends[1]} 68 ${ends[1]}`}></path>`;
    });
  })}</svg>`;
}

function drawEvidence(graph, {source, target}, act) {
  const edges = graph.edges.filter((edge) => edge.source === source && edge.target === target);
  return html`<section class="sheet" aria-label="The calls that prove it">
    <button type="button" class="close" @click=${() => act.open(null)}>close</button>
    <h3>${source} → ${target}</h3>${edges.map((edge) => drawProof(graph, edge))}</section>`;
}

function drawProof(graph, {source, target, kind, evidence}) {
  const start = graph.starts[evidence.start];
  const lead = evidence.lead ?? [];
  const last = {tool: target, arguments: evidence.target, answer: evidence.after};
  const after = [...lead, {tool: source, arguments: evidence.source}, ...(evidence.between ?? []), last];
  const isFlow = kind === "data_flow";
  return html`<h4><span class=${`sign ${kind}`} aria-hidden="true">${KINDS[kind].sign}</span> ${KINDS[kind].word}:
      ${KINDS[kind].about}</h4>
    <p class="muted">In the world of seed ${start.seed} with ${start.size} rows${
      evidence.scenario ? html`, as in the scenario <code>${evidence.scenario}</code>` : nothing}:</p>
    ${isFlow ? nothing : html`<p>Without the first</p>${drawCalls([...lead, {...last, answer: evidence.before}])}
      <p>After the first</p>`}
    ${drawCalls(after)}
    ${isFlow ? drawValue(evidence) : nothing}
    ${evidence.changed ? html`<p>Changed: ${Object.entries(evidence.changed).map(([table, columns]) =>
      html`<code>${table}</code> (${columns.join(", ")}) `)}</p>` : nothing}`;
}

function drawCalls(calls) {
  return html`<ol class="proof">${calls.map((call) => html`<li>
    <code><b>${call.tool}</b> ${JSON.stringify(call.arguments)}</code>
    ${call.answer === undefined ? nothing : html`<br><span class="muted">answers</span> <code>${call.answer}</code>`}</li>`)}</ol>`;
}

function drawValue({value, result, parameter, made_up: madeUp, otherwise}) {
  return html`<p>The value <code>${JSON.stringify(value)}</code>, which the first returned as <code>${result}</code>, is
    the argument <code>${parameter}</code>.${otherwise === undefined ? nothing : html`
      With <code>${JSON.stringify(madeUp)}</code> in its place the answer is <code>${otherwise}</code>`}</p>`;
}

function groupBy(edges, end) {
  const names = [...new Set(edges.map((edge) => edge[end]))];
  return names.map((name) => ({name, edges: edges.filter((edge) => edge[end] === name)}));
}

function topicsOf(tools) {
  return [...new Set(tools.map((tool) => tool.topic))];
}

function byTopic(tools) {
  return topicsOf(tools).sort().flatMap((topic) => tools.filter((tool) => tool.topic === topic));
}
