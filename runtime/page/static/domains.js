// One domain with its tables, tools, graph, rules and tasks.

import {drawGraph} from "./graph.js";
import {startPlay} from "./home.js";
import {html, nothing} from "./lit-html.js";
import {drawMarkdown, drawWords} from "./markdown.js";
import {counted, drawSearch, go, link, memory, readLatest, remember, whenRead} from "./page.js";
import {drawList, drawTables} from "./tables.js";
import {drawDescription, drawToolList, hasText} from "./tools.js";

const VIEWS = {tables: drawRows, tools: drawToolView, graph: drawGraphView, rules: drawRules, tasks: drawTasks, readme: drawReadme, twin: drawTwin, mending: drawMending};
const MOST_TASKS = 100; // of the list, until all are asked for
const MOST_COMPLAINTS = 12; // of a gate

/** One domain: #/domain/NAME/VIEW/ITEM, where the item is a table or a tool. */
export function drawDomain([, name, view = "tables", item]) {
  return whenRead(`api/domains/${encodeURIComponent(name)}`, (domain) => html`<article class="domain">
    <div class="row domain-head">
      <div class="grow"><h1>${domain.title}</h1>
        <p class="muted"><span class="mono">${domain.name}</span> · its clock reads <span class="clock">${domain.clock}</span></p></div>
      <button type="button" title="Call its tools on an example world, without a user" @click=${() => startPlay({domain: name})}>Play without a task</button>
    </div>
    <p>${domain.about}</p>
    <nav class="segmented views" aria-label="Views of the domain">${Object.keys(VIEWS).filter((each) => !["readme", "twin", "mending"].includes(each) || domain[each]).map((each) => html`
      <a href=${link("domain", name, each)} aria-current=${each === view ? "page" : nothing}
      >${each[0].toUpperCase()}${each.slice(1)}${each !== "readme" && domain[each]?.length ? html` <span class="badge">${domain[each].length}</span>` : nothing}</a>`)}</nav>
    ${(VIEWS[view] ?? drawRows)(domain, item)}</article>`);
}

const FILTER = {find: "", page: 0, edge: null}; // what the page remembers of a view of a domain

function drawRows(domain, item) {
  const table = item ?? domain.tables[0].name;
  const memo = memory(`${domain.name} table ${table}`, FILTER);
  const asked = new URLSearchParams({table, page: memo.page, find: memo.find});
  const {value, error} = readLatest(`rows of ${domain.name}/${table}`, `api/domains/${encodeURIComponent(domain.name)}/rows?${asked}`);
  if (error) return html`<p class="failure" role="alert">${error}</p>`;
  const declared = domain.tables.find((each) => each.name === table);
  return html`${drawTables(domain.tables, {table, rows: value, find: memo.find}, {
    open: (name) => go(link("domain", domain.name, "tables", name)),
    find: (find) => remember(memo, {find, page: 0}),
    turn: (page) => remember(memo, {page}),
    follow: (name, key) => {
      remember(memory(`${domain.name} table ${name}`, FILTER), {find: String(key), page: 0});
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
  const memo = memory(`${domain.name} tools`, FILTER);
  const tool = domain.tools.find((each) => each.name === item);
  const choose = (name) => {
    go(link("domain", domain.name, "tools", ...(name ? [name] : [])));
    requestAnimationFrame(() => document.querySelector(".has-chosen h2, [aria-label='Find a tool']")?.focus()); // the button is gone
  };
  if (!tool) {
    return html`<section aria-label="Tools">${drawFilter("Find a tool", memo)}
      ${drawAllTools(domain.tools.filter((each) => hasText(each, memo.find)), choose)}</section>`;
  }
  return html`<div class="two-columns has-chosen">
    <section aria-label="Tools">${drawFilter("Find a tool", memo)}
      ${drawToolList(domain.tools, {find: memo.find, tool: item}, choose)}</section>
    <section class="card" aria-live="polite">${drawTool(domain, tool, choose)}</section></div>`;
}

function drawAllTools(tools, choose) {
  const names = (listed) => listed.map((name) => html`<code>${name}</code> `);
  return drawList("tools", "Tools of the domain", [
    {title: "Tool", by: (tool) => tool.name, draw: (tool) => html`<button type="button" class="tool-name" @click=${() => choose(tool.name)}>${tool.name}</button>`},
    {title: "What it does", draw: (tool) => tool.description.split("\n\n")[0]},
    {title: "Topic", by: (tool) => tool.topic, draw: (tool) => tool.topic},
    {title: "Reads", by: (tool) => tool.reads.join(), draw: (tool) => names(tool.reads)},
    {title: "Writes", by: (tool) => tool.writes.join(), draw: (tool) => names(tool.writes)},
    {title: "Rules", number: true, by: (tool) => tool.rules.length, draw: (tool) => tool.rules.length || "–", about: "Rules that guard it"},
  ], tools);
}

function drawTool(domain, tool, choose) {
  const facts = [["reads", tool.reads], ["writes", tool.writes], ["rejects with", tool.rejects]];
  return html`
    <button type="button" class="plain back" @click=${() => choose(null)}>‹ All tools</button>
    <h2 class="mono" tabindex="-1">${tool.name}</h2>
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
  const memo = memory(`${domain.name} graph`, FILTER);
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
    <p><code>worldsmith rule ${domain.name}</code> writes the first one by a few questions. To write one by hand, give the folder of <code>${domain.name}</code> a file <code>rules.py</code> with a function that
      decides, and <code>rule_cases.jsonl</code> with calls that it allows and denies. The words of the rule become
      <code>policy.md</code>, and <code>worldsmith check ${domain.name}</code> tries it.</p>
    <p><code>docs/authoring.md</code> says how, under "Rules".</p></div>`;
}

function drawReadme(domain) {
  return html`<section class="card" aria-label="README.md">${drawMarkdown(domain.readme ?? "")}</section>`;
}

function drawLines(title, lines) {
  return lines.length ? html`${title ? html`<h2>${title}</h2>` : nothing}<ul>${lines.map((each) => html`<li>${each}</li>`)}</ul>` : nothing;
}

/** A twin: what became of its source, what stays open, and what its last update came to. */
function drawTwin(domain) {
  if (!domain.twin) return html`<p>This domain is no twin: <code>worldsmith twin SOURCE</code> makes one.</p>`;
  const {account, opened, drift} = domain.twin;
  const drawCounts = (title, counts) => drawList(`${title} of ${domain.name}`, title, [
    {title, by: ([name]) => name, draw: ([name]) => name},
    ...Object.keys(counts[0]?.[1] ?? {}).map((fate) => ({
      title: fate.replaceAll("_", " "),
      number: typeof counts[0][1][fate] === "number",
      draw: ([, own]) => (typeof own[fate] === "number" ? own[fate].toLocaleString("en") : Object.entries(own[fate]).map(([why, many]) => `${many} ${why}`).join(", ")),
    })),
  ], counts);
  return html`<section class="card stack" aria-label="Twin">
    <h2>The account of its source</h2>
    ${drawCounts("Table", Object.entries(account.rows))}${drawCounts("Part", Object.entries(account.parts))}
    ${drawLines("What the source has and the twin lacks", account.losses)}
    ${drawLines("Left open, so no tools", Object.entries(opened).map(([why, names]) => `${why}: ${names.join(", ")}`))}
    ${drift ? html`${drawLines(`The last update, from ${drift.source}`, drift.differences.map((each) => each.sentence))}
      ${drawLines("Tools that no longer did what they did", Object.entries(drift.tools).map(([name, why]) => `${name}: ${why}`))}
      ${drawLines("Parked, to be mended by a person", drift.parked.map((each) => `${each.part} of ${each.file}: ${each.reason}`))}` : nothing}
    <p class="muted"><code>worldsmith twin SOURCE --diff ${domain.name}</code> says whether it is in step with its source.</p></section>`;
}

/** What `worldsmith mend` does to the domain: where it is, what its answers took, what is done, and what is left. */
function drawMending(domain) {
  const command = html`<code>worldsmith mend ${domain.name} --model MODEL</code>`;
  return whenRead(`api/mending/${encodeURIComponent(domain.name)}`, ({note, mended, told, left, at, stages}) => {
    const when = at === null ? "" : new Date(at * 1000).toLocaleTimeString();
    const gates = Object.entries(left);
    return html`<section class="card stack" aria-label="Mending">
      <h2>${note ? "Being mended" : gates.length ? "Something is left" : "Mended"}</h2>
      ${note ? html`<p class="lines waiting" role="status">${note}</p>
        <p class="muted">As of ${when}. If the command was stopped, the same one goes on from there: ${command}</p>` : nothing}
      ${!note && gates.length ? html`<p class="muted">It ended at ${when}. ${command} asks again; a higher <code>--repairs</code> lets gates send more answers back.</p>` : nothing}
      ${at === null ? html`<p class="muted">Nothing was left; <code>worldsmith check ${domain.name}</code> says how it is now.</p>` : nothing}
      ${stages.length ? drawList(`mending of ${domain.name}`, "What the answers took", [
        {title: "Stage", draw: (each) => each.stage.replaceAll("_", " ")},
        ...["requests", "repairs", "tokens"].map((figure) => ({title: `${figure[0].toUpperCase()}${figure.slice(1)}`, number: true, draw: (each) => each[figure].toLocaleString("en")})),
      ], stages) : nothing}
      ${drawLines("Stages that mended something", mended)}${drawLines("What it said", told)}
      ${gates.length ? html`<h2>Left</h2>${gates.map(([gate, complaints]) => html`<details open><summary>${gate}: ${counted(complaints.length, "complaint")}</summary>
        ${drawLines("", complaints.slice(0, MOST_COMPLAINTS))}
        ${complaints.length > MOST_COMPLAINTS ? html`<p class="muted">and ${complaints.length - MOST_COMPLAINTS} more</p>` : nothing}</details>`)}` : nothing}
    </section>`;
  });
}

function drawTasks(domain) {
  const memo = memory(`${domain.name} tasks`, FILTER);
  const words = memo.find.toLowerCase().replaceAll("_", " ").split(" ");
  const found = domain.tasks.filter((task) => words.every((word) => textOf(task).includes(word)));
  return html`
    ${drawFilter("Find a task: words, level 4, denied, held_out", memo)} <span class="muted" role="status">${counted(found.length, "task")}</span>
    ${drawList(`tasks of ${domain.name}`, "Tasks", [
      {title: "Task", by: (task) => task.title, draw: (task) => html`${task.title}<small class="mono">${task.id}</small>`},
      {title: "Level", number: true, by: (task) => task.level, draw: (task) => task.level ?? "–", about: "How hard the task is, from 1 to 5"},
      {title: "Form", by: (task) => task.forms.join(), draw: (task) => task.forms.map((form) => html`<span class="badge">${form.replaceAll("_", " ")}</span> `), about: "What makes the task hard"},
      {title: "Split", by: (task) => task.split, draw: (task) => task.split.replaceAll("_", " ")},
      {title: "Play", draw: (task) => html`<button type="button" aria-label=${`Play ${task.id}`} @click=${() => startPlay({domain: domain.name, task: task.id})}>Play</button>`},
    ], found, MOST_TASKS)}`;
}

function textOf(task) {
  return [task.title, task.id, `level ${task.level}`, ...task.forms, task.split].join(" ").toLowerCase().replaceAll("_", " ");
}

function drawFilter(label, memo) {
  return drawSearch(label, memo.find, (find) => remember(memo, {find}));
}
