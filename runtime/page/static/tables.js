// Tables: lists that sort by a click on a heading; and those of a database, with pages, a filter and changed rows on top.

import {html, nothing} from "./lit-html.js";
import {counted, drawSearch, drawValue, memory, remember} from "./page.js";

/**
 * A list whose first column names its rows.
 *
 * A column is {title, draw(row), by(row)?: what it sorts by, number?, about?}. Numbers are sorted from the largest at
 * first, words from A; rows without a value come last. `key` names the list, so that the page remembers its order; more than `most` rows are
 * drawn when they are asked for.
 */
export function drawList(key, label, columns, rows, most = rows.length) {
  const order = memory(`list ${key}`, {title: "", isBack: false, isWhole: false});
  const {by, number} = columns.find((column) => column.title === order.title) ?? {};
  const isDown = Boolean(number) !== order.isBack;
  const sorted = by ? [...rows].sort((one, other) => compare(by(one), by(other), isDown)) : rows;
  const shown = order.isWhole ? sorted : sorted.slice(0, most);
  const turn = (title) => remember(order, {title, isBack: order.title === title && !order.isBack});
  const drawHead = ({title, by: isSorted, number: isNumber, about}) => {
    const isOn = title === order.title;
    return html`<th scope="col" class=${isNumber ? "number" : nothing} title=${about ?? nothing}
      aria-sort=${isOn ? (isDown ? "descending" : "ascending") : nothing}>${isSorted
      ? html`<button type="button" class="plain" @click=${() => turn(title)}>${title}
          <span aria-hidden="true">${isOn ? (isDown ? "▼" : "▲") : "↕"}</span></button>`
      : title}</th>`;
  };
  return html`<table class="list" aria-label=${label}>
    <thead><tr>${columns.map(drawHead)}</tr></thead>
    <tbody>${shown.map((row) => html`<tr>${columns.map(({title, draw, number: isNumber}, place) => (place
      ? html`<td class=${isNumber ? "number" : nothing} data-title=${title}>${draw(row)}</td>`
      : html`<th scope="row">${draw(row)}</th>`))}</tr>`)}</tbody></table>
    ${shown.length < rows.length ? html`<button type="button" @click=${() => remember(order, {isWhole: true})}>Show all ${rows.length.toLocaleString("en")}</button>` : nothing}`;
}

function compare(one, other, isDown) {
  const [lacks, alsoLacks] = [one, other].map((value) => value === null || value === undefined);
  if (lacks || alsoLacks) return lacks - alsoLacks;
  const order = typeof one === "number" ? one - other : String(one).localeCompare(String(other), "en", {numeric: true});
  return isDown ? -order : order;
}

const SEPARATOR = "\u001f";

/**
 * The tabs of the tables and the rows of one.
 *
 * `see` is {table, find, only (changed rows and columns), rows (as api/domains/D/rows gives them, or null), path}: the
 * steps up to the one shown, each with its `number` and `cells`. `act` is {open(table), find(text), turn(page),
 * only(yes), follow(table, value), use(value)}.
 */
export function drawTables(tables, see, act) {
  const table = tables.find((each) => each.name === see.table) ?? tables[0];
  const marks = markCells(see.path ?? []);
  return html`
    <nav class="tabs" aria-label="Tables">${tables.map((each) => html`
      <button type="button" aria-pressed=${each === table ? "true" : "false"} @click=${() => act.open(each.name)}>
        ${each.name}${drawCount(marks.rows.get(each.name)?.size)}</button>`)}</nav>
    ${table.comment ? html`<p class="muted table-about">${table.comment}</p>` : nothing}
    ${see.rows ? drawPage(table, see, act, marks) : html`<p class="muted waiting">Loading…</p>`}`;
}

function drawCount(count) {
  return count ? html` <span class="badge changed" title="Rows changed since the start">${count} changed</span>` : nothing;
}

/** Which cells the steps of a path changed: by the last of them, or by one before. */
function markCells(path) {
  const last = path.at(-1)?.number;
  const cells = new Map();
  const rows = new Map();
  for (const step of path) {
    for (const {table, key, column, row, was} of step.cells ?? []) {
      cells.set([table, ...key, column].join(SEPARATOR), {row, was, step: step.number, isNow: step.number === last});
      if (!rows.has(table)) rows.set(table, new Set());
      rows.get(table).add(key.join(SEPARATOR));
    }
  }
  return {cells, rows};
}

function drawPage(table, see, act, marks) {
  const {rows, changed, total} = see.rows;
  const touched = new Set(changed.map((row) => row.key.join(SEPARATOR)));
  const rest = see.only ? [] : rows.map((row) => asRecord(see.rows.columns, row))
    .filter((record) => !touched.has(keyOf(table, record)));
  const columns = columnsInOrder(table, changed).filter((column) => isShown(table, column, see, changed, marks));
  return html`
    <div class="table-tools">
      ${drawSearch(`Find rows of ${table.name}`, see.find, act.find, "Find in any column")}
      <span class="muted">${counted(total, "row")}${see.find ? " found" : ""}</span>
      ${changed.length || see.only ? html`<label class="check"><input type="checkbox" .checked=${see.only}
        @change=${(event) => act.only(event.target.checked)}> changed only</label>` : nothing}
      ${drawPages(see.rows, act.turn)}
    </div>
    <div class="table-box" tabindex="0" role="region" aria-label=${`Rows of ${table.name}`}><table>
      <thead><tr>${columns.map((column) => drawHead(table, column))}</tr></thead>
      <tbody>
        ${changed.map((row) => drawChanged(table, columns, row, marks, act))}
        ${changed.length && rest.length ? html`<tr class="row-cut"><td colspan=${columns.length}></td></tr>` : nothing}
        ${rest.map((record) => html`<tr>${columns.map((column) => drawCell(table, column, record, null, act))}</tr>`)}
        ${changed.length || rest.length ? nothing : html`<tr><td colspan=${columns.length} class="muted">
          ${see.find ? `No row has “${see.find}”.` : see.only ? "Nothing changed." : "No rows."}</td></tr>`}
      </tbody></table></div>`;
}

function drawPages({page, pages}, turn) {
  if (pages < 2) return nothing;
  return html`<span class="pages" role="group" aria-label="Pages">
    <button type="button" aria-label="Previous page" ?disabled=${page === 0} @click=${() => turn(page - 1)}>‹</button>
    page ${page + 1} of ${pages}
    <button type="button" aria-label="Next page" ?disabled=${page === pages - 1} @click=${() => turn(page + 1)}>›</button></span>`;
}

function drawHead(table, column) {
  const isKey = table.key.includes(column.name);
  const about = [column.comment, column.type, column.references ? `names a ${column.references.table}` : ""];
  return html`<th scope="col" class=${isKey ? "key" : nothing} title=${about.filter(Boolean).join(" · ")}>
    ${column.name}${isKey ? html` <small>key</small>` : nothing}</th>`;
}

function drawChanged(table, columns, row, marks, act) {
  const kind = !row.after ? "removed" : !row.before ? "added" : "changed";
  return html`<tr class=${kind} title=${kind}>
    ${columns.map((column, place) => {
      const mark = marks.cells.get([table.name, ...row.key, column.name].join(SEPARATOR));
      return drawCell(table, column, row.after ?? row.before, {row, mark, note: place ? "" : kind}, act);
    })}</tr>`;
}

function drawCell(table, column, record, change, act) {
  const value = record[column.name];
  const old = change ? oldValue(change, column.name) : undefined;
  const classes = [
    change?.mark?.isNow ? "now" : change?.mark || old !== undefined ? "earlier" : "",
    table.key.includes(column.name) ? "key" : "",
    column.type === "TEXT" ? "" : "number",
  ];
  return html`<td class=${classes.join(" ")} title=${change?.mark ? `by step ${change.mark.step}` : nothing}
    @click=${() => act.use?.(value)}>${change?.note ? html`<span class="badge">${change.note}</span> ` : nothing}${
      old === undefined ? nothing : html`<del>${drawValue(old)}</del> `}${drawValue(value)}${
      column.references && value !== null ? drawFollow(column.references.table, value, act) : nothing}</td>`;
}

/** What a cell was before the step that is shown, or else at the start; undefined if it is as it was. */
function oldValue({row: {before, after}, mark}, column) {
  if (!after) return undefined;
  if (mark?.isNow) return mark.row === "changed" ? mark.was : undefined;
  return before && before[column] !== after[column] ? before[column] : undefined;
}

function drawFollow(table, value, act) {
  const label = `Show ${table} ${value}`;
  return html`<button type="button" class="follow" aria-label=${label} title=${label} @click=${(event) => {
    event.stopPropagation();
    act.follow(table, value);
  }}>→</button>`;
}

/** The key first, then what was changed, which would else be out of sight in a wide table, then the rest. */
function columnsInOrder(table, changed) {
  const edited = changed.filter(({before, after}) => before && after);
  const rank = ({name}) => table.key.includes(name) ? 0 : edited.some(({before, after}) => before[name] !== after[name]) ? 1 : 2;
  return [...table.columns].sort((one, other) => rank(one) - rank(other));
}

function isShown(table, column, see, changed, marks) {
  if (!see.only || table.key.includes(column.name)) return true;
  return changed.some(({key, before, after}) => !before || !after || before[column.name] !== after[column.name]
    || marks.cells.has([table.name, ...key, column.name].join(SEPARATOR)));
}

function asRecord(columns, row) {
  return Object.fromEntries(columns.map((name, place) => [name, row[place]]));
}

function keyOf(table, record) {
  return table.key.map((name) => record[name]).join(SEPARATOR);
}
