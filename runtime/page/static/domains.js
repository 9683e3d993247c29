// The domains as cards, and one of them with its tables, tools, graph, rules and tasks.

import {frozen, get, post} from "./data.js";
import {drawGraph} from "./graph.js";
import {html, nothing} from "./lit-html.js";
import {drawMarkdown, drawWords} from "./markdown.js";
import {attempt, counted, draw, go, link, readLatest, state, whenRead} from "./page.js";
import {drawTables} from "./tables.js";
import {drawDescription, drawToolList} from "./tools.js";

const VIEWS = {tables: drawRows, tools: drawToolView, graph: drawGraphView, rules: drawRules, tasks: drawTasks, readme: drawReadme};
const MOST_TASKS = 100; // of a list, until one is searched for

/** The cards of all domains; one that is broken says why. */
export function drawDomains() {
  return html`<h1>Domains</h1>
    ${whenRead("api/domains", (cards) =>
      cards.length
        ? html`${drawStart(cards)}<ul class="bare cards">${cards.map((card) => html`<li class="card">
            ${card.error ? drawBroken(card) : drawCard(card)}</li>`)}</ul>`
        : html`<p>No domain is here. Put one into <code>./domains</code>, or make one: <code>worldsmith new</code>.</p>`,
    )}`;
}

/** Where a stranger begins: a task of the domain with the fewest tables, played by hand. */
function drawStart(cards) {
  const playable = cards.filter((card) => card.tasks).sort((one, other) => one.tables - other.tables);
  if (!playable.length || frozen) return nothing;
  const {name, title} = playable[0];
  return html`<section class="card start-here" aria-label="Start here">
    <h2>Start here</h2>
    <p>Be the assistant of ${title}: a user asks for something, you call tools, and the verdict shows what came of it.</p>
    <p class="row"><button type="button" class="primary" @click=${() => startFirst(name)}>Play a task</button>
      <a href=${link("domain", name, "tasks")}>choose another</a> <span class="muted">or look at a domain below;</span>
      <a href=${link("runs")}>evaluations of agents</a></p></section>`;
}

async function startFirst(name) {
  const domain = await attempt(() => get(`api/domains/${encodeURIComponent(name)}`));
  if (domain) await startPlay(name, domain.tasks[0].id);
}

function drawCard(card) {
  return html`
    <h2><a href=${link("domain", card.name)}>${card.title}</a></h2>
    <p class="muted mono">${card.name}</p>
    <p>${card.about}</p>
    <p class="row counts">${Object.keys(VIEWS).filter((view) => card[view]).map((view) => html`
      <a href=${link("domain", card.name, view)}>${counted(card[view], view.slice(0, -1))}</a>`)}
      ${card.has_graph ? html`<a href=${link("domain", card.name, "graph")}>graph</a>` : nothing}</p>`;
}

function drawBroken(card) {
  const [first, ...rest] = card.error.split("\n");
  return html`
    <h2>${card.title}</h2>
    <p class="bad">✕ This domain cannot be loaded.</p>
    <p class="lines">${first}</p>
    ${rest.length ? html`<details><summary>${counted(rest.length, "more fault")}</summary>
      <p class="lines">${rest.join("\n")}</p></details>` : nothing}`;
}

/** One domain: #/domain/NAME/VIEW/ITEM, where the item is a table or a tool. */
export function drawDomain([, name, view = "tables", item]) {
  return whenRead(`api/domains/${encodeURIComponent(name)}`, (domain) => html`<article class="domain">
    <div class="row domain-head">
      <div class="grow"><h1>${domain.title}</h1>
        <p class="muted"><span class="mono">${domain.name}</span> · its clock reads <span class="clock">${domain.clock}</span></p></div>
      ${frozen ? nothing : html`<button type="button" class="primary" @click=${() => startPlay(name)}>
        Play without a task</button>`}
    </div>
    <p>${domain.about}</p>
    <nav class="segmented views" aria-label="Views of the domain">${Object.keys(VIEWS).filter((each) => each !== "readme" || domain.readme).map((each) => html`
      <a href=${link("domain", name, each)} aria-current=${each === view ? "page" : nothing}
      >${each}${each !== "readme" && domain[each]?.length ? html` <span class="badge">${domain[each].length}</span>` : nothing}</a>`)}</nav>
    ${(VIEWS[view] ?? drawRows)(domain, item)}</article>`);
}

/** What the page remembers of a part of a domain, such as the text that its rows are filtered by. */
function memory(...parts) {
  const key = parts.join("/");
  state.domains ??= {};
  state.domains[key] ??= {find: "", page: 0, edge: null};
  return state.domains[key];
}

function remember(memo, change) {
  Object.assign(memo, change);
  draw();
}

async function startPlay(domain, task) {
  const started = await attempt(() => post("api/plays", task ? {domain, task} : {domain}));
  if (started) go(link("play", started.play, 0, "talk"));
}

function drawRows(domain, item) {
  const table = item ?? domain.tables[0].name;
  const memo = memory(domain.name, "table", table);
  const asked = new URLSearchParams({table, page: memo.page, find: memo.find});
  const {value, error} = readLatest(`rows of ${domain.name}/${table}`, `api/domains/${encodeURIComponent(domain.name)}/rows?${asked}`);
  if (error) return html`<p class="failure" role="alert">${error}</p>`;
  const declared = domain.tables.find((each) => each.name === table);
  return html`${drawTables(domain.tables, {table, rows: value, find: memo.find}, {
    open: (name) => go(link("domain", domain.name, "tables", name)),
    find: (find) => remember(memo, {find, page: 0}),
    turn: (page) => remember(memo, {page}),
    follow: (name, key) => {
      remember(memory(domain.name, "table", name), {find: String(key), page: 0});
      go(link("domain", domain.name, "tables", name));
    },
  })}${declared ? drawColumns(declared) : nothing}`;
}

/** What is declared of the columns, and how a verdict compares them. */
function drawColumns(table) {
  return html`<details class="columns-of"><summary>Columns of ${table.name}</summary>
    <dl>${table.columns.map((column) => html`<dt><code>${column.name}</code></dt>
      <dd>${column.comment} <small>${[
        column.type,
        table.key.includes(column.name) ? "key" : column.nullable ? "may be empty" : "",
        column.references ? `refers to ${column.references.table}` : "",
        column.policy === "hard" ? "" : `${column.policy} in verdicts`,
      ].filter(Boolean).join(", ")}</small></dd>`)}</dl></details>`;
}

function drawToolView(domain, item) {
  const memo = memory(domain.name, "tools");
  const tool = domain.tools.find((each) => each.name === item);
  const choose = (name) => go(link("domain", domain.name, "tools", ...(name ? [name] : [])));
  return html`<div class=${tool ? "two-columns has-chosen" : "two-columns"}>
    <section aria-label="Tools">${drawFilter("Find a tool", memo)}
      ${drawToolList(domain.tools, {find: memo.find, tool: item}, choose)}</section>
    <section class=${tool ? "card" : nothing} aria-live="polite">${tool ? drawTool(domain, tool, choose) : html`<p class="muted">Choose a tool.</p>`}
    </section></div>`;
}

function drawTool(domain, tool, choose) {
  const facts = [["reads", tool.reads], ["writes", tool.writes], ["rejects with", tool.rejects]];
  return html`
    <button type="button" class="plain back" @click=${() => choose(null)}>‹ All tools</button>
    <h2 class="mono">${tool.name}</h2>
    ${drawDescription(tool.description)}
    <dl>${facts.filter(([, names]) => names.length).map(([what, names]) => html`
      <dt>${what}</dt><dd>${names.map((name) => html`<code>${name}</code> `)}</dd>`)}
      ${tool.rules.length ? html`<dt>guarded by</dt><dd>${tool.rules.map((code) => html`
        <a href=${link("domain", domain.name, "rules")}>${code}</a> `)}</dd>` : nothing}
      ${domain.graph ? html`<dt>graph</dt><dd><a href=${link("domain", domain.name, "graph", tool.name)}>its neighbors</a>
        </dd>` : nothing}</dl>
    <h3>Arguments</h3>${drawSchema(tool.input_schema)}
    <h3>Result</h3>${drawSchema(tool.output_schema)}`;
}

function drawSchema(schema) {
  const {properties = {}, required = []} = schema;
  return html`
    ${Object.keys(properties).length ? html`<dl>${Object.entries(properties).map(([name, part]) => html`
      <dt><code>${name}</code></dt>
      <dd>${part.description ?? ""} <small>${typeOf(part)}${required.includes(name) ? "" : ", optional"}</small></dd>`)}</dl>`
      : html`<p class="muted">None.</p>`}
    <details><summary class="muted">JSON Schema</summary><pre>${JSON.stringify(schema, null, 2)}</pre></details>`;
}

function typeOf(part) {
  if (part.anyOf) return part.anyOf.map(typeOf).join(" or ");
  if (part.enum) return part.enum.join(" | ");
  return part.type === "array" ? `list of ${typeOf(part.items ?? {})}` : part.type ?? "anything";
}

function drawGraphView(domain, item) {
  if (!domain.graph) {
    return html`<p>This domain has no graph yet: <code>worldsmith check ${domain.name} --write-graph</code> finds it.</p>`;
  }
  const memo = memory(domain.name, "graph");
  return drawGraph(domain.graph, domain.tools, {tool: item, edge: memo.edge}, {
    choose: (name) => {
      memo.edge = null;
      go(link("domain", domain.name, "graph", ...(name ? [name] : [])));
    },
    open: (edge) => remember(memo, {edge}),
  });
}

function drawRules(domain) {
  return html`<div class="two-columns halves">
    <section class="stack" aria-label="Rules">${domain.rules.length ? nothing : drawFirstRule(domain)}
      ${domain.rules.map((rule) => html`<div class="card">
        <h2><span class="mono">${rule.code}</span> <span class="badge">${rule.kind}</span></h2>
        <p>${drawWords(rule.text)}</p>
        ${rule.tools.length ? html`<p class="muted">guards ${rule.tools.map((name) => html`
          <a class="mono" href=${link("domain", domain.name, "tools", name)}>${name}</a> `)}</p>` : nothing}
        ${Object.entries(rule.exempt).map(([name, reason]) => html`<p class="muted">
          exempt: <span class="mono">${name}</span>. ${reason}</p>`)}</div>`)}</section>
    <section class="card" aria-label="Policy">${domain.policy ? drawMarkdown(domain.policy)
      : html`<p class="muted">It has no policy.md.</p>`}</section></div>`;
}

function drawFirstRule(domain) {
  return html`<div class="card"><p>It has no rules.</p>
    <p>To write the first one, give the folder of <code>${domain.name}</code> a file <code>rules.py</code> with a function that
      decides, and <code>rule_cases.jsonl</code> with calls that it allows and denies. The words of the rule become
      <code>policy.md</code>, and <code>worldsmith check ${domain.name}</code> tries it.</p>
    <p><code>docs/authoring.md</code> says how, under "Rules".</p></div>`;
}

function drawReadme(domain) {
  return html`<section class="card" aria-label="README.md">${drawMarkdown(domain.readme ?? "")}</section>`;
}

function drawTasks(domain) {
  const memo = memory(domain.name, "tasks");
  const words = memo.find.toLowerCase().split(" ");
  const found = domain.tasks.filter((task) => words.every((word) => textOf(task).includes(word)));
  const more = found.length > MOST_TASKS ? `, of which the first ${MOST_TASKS} are shown` : "";
  return html`
    ${drawFilter("Find a task: words, level 4, denied, held_out", memo)}
    <p class="muted">${counted(found.length, "task")}${more}</p>
    <ul class="bare tasks">${found.slice(0, MOST_TASKS).map((task) => html`<li class="row">
      <div class="grow"><b>${task.title}</b><br><small class="mono">${task.id}</small></div>
      ${task.level === null ? nothing : html`<span class="badge">level ${task.level}</span>`}
      ${task.forms.map((form) => html`<span class="badge">${form}</span>`)}
      <small>${task.split}</small>
      ${frozen ? nothing : html`<button type="button" aria-label=${`Play ${task.id}`}
        @click=${() => startPlay(domain.name, task.id)}>Play</button>`}</li>`)}</ul>`;
}

function textOf(task) {
  return [task.title, task.id, `level ${task.level}`, ...task.forms, task.split].join(" ").toLowerCase();
}

function drawFilter(label, memo) {
  return html`<input type="search" class="filter" aria-label=${label} placeholder=${label} .value=${memo.find}
    @input=${(event) => remember(memo, {find: event.target.value})}>`;
}
