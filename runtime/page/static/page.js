// What all views share: the page's state, when it is drawn, what the server says, and small parts of pages.

import {html, nothing} from "./lit-html.js";

/** Everything that the page shows follows from this and from what was read. Views add what they need to remember. */
export const state = {route: ["domains"], notice: "", lost: ""};

const MOST_KNOWN = 400; // answers of the server that are remembered

let drawPage = () => {};
let isDue = false;

/** Say what draws the page. */
export function onDraw(drawer) {
  drawPage = drawer;
}

/** Draw the page soon, once for everything that changed until then. */
export function draw() {
  if (isDue) return;
  isDue = true;
  queueMicrotask(() => {
    isDue = false;
    drawPage();
  });
}

/** Change the state, and draw. */
export function set(change) {
  Object.assign(state, change);
  draw();
}

/** Show a sentence on top of the page until it is closed or replaced. */
export function say(sentence) {
  set({notice: sentence});
}

/** Run something that asks the server; its failure is said on the page. Returns undefined then. */
export async function attempt(action) {
  try {
    const result = await action();
    if (state.notice) say("");
    return result;
  } catch (failure) {
    say(failure.message);
    return undefined;
  }
}

/** What the page remembers by a key, such as the words of a filter; at first it is `initial`. */
export function memory(key, initial) {
  return ((state.memory ??= {})[key] ??= {...initial});
}

/** Change something that is remembered, and draw. */
export function remember(memo, change) {
  Object.assign(memo, change);
  draw();
}

/** A box to search with, and what is done with its words. */
export function drawSearch(label, words, find, hint = label) {
  return html`<input type="search" class="filter" autocomplete="off" aria-label=${label} placeholder=${hint} .value=${words}
    @input=${(event) => find(event.target.value)}>`;
}

/** The address of a part of the page: link("play", 3, 12) is "#/play/3/12". */
export function link(...parts) {
  return `#/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
}

/** Go to a part of the page; `instead` leaves no trace in the browser's history. */
export function go(address, instead = false) {
  if (instead) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  set({route: readRoute()});
}

/** The parts of the address: ["play", "3", "12"]. */
export function readRoute() {
  const parts = location.hash.replace(/^#\/?/, "").split("/").filter((part) => part);
  return parts.length ? parts.map(decodeURIComponent) : ["domains"];
}

// where data comes from: the server, or in a frozen page the JSON elements of the document

/** Whether the page is a file by itself: then nothing can be done, only looked at. */
export const frozen = "frozen" in document.documentElement.dataset;

const NO_ANSWER = "The server does not answer; start `worldsmith studio` again. What you typed stays.";

/** A failure to throw: a sentence for a person, and the status of the answer, 0 if there was none. */
const failure = (sentence, status) => Object.assign(new Error(sentence), {status});

/** What the server says at a path. */
export async function get(path) {
  if (!frozen) return ask(path);
  const carried = document.getElementById(path); // each answer is an element of the file
  if (carried === null) throw failure("This page is a file; it does not hold that.", 404);
  return JSON.parse(carried.textContent);
}

/** Have the server do something. */
export async function post(path, body) {
  return ask(path, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw failure(NO_ANSWER, 0);
  }
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw failure(told.error ?? `The server answered with status ${answer.status}.`, answer.status);
  return told;
}

/**
 * Call `handle(kind, data)` for every event of the server: "play", "run", "farm", "mending", "reload"; and with "found" as the server
 * comes, and "lost" and a sentence as it goes.
 *
 * One tab listens for all, since a browser opens at most six connections to a server.
 */
export function live(handle) {
  if (frozen) return;
  const channel = new BroadcastChannel("worldsmith-studio");
  channel.onmessage = (message) => handle(...message.data);
  const tell = (kind, data) => {
    handle(kind, data);
    channel.postMessage([kind, data]);
  };
  const began = Date.now();
  navigator.locks.request("worldsmith-studio-events", () => new Promise(() => listen(tell, Date.now() - began > 1000)));
}

function listen(tell, mayHaveMissed) {
  const events = new EventSource("events");
  events.onopen = () => {
    tell("found", null);
    if (mayHaveMissed) tell("reload", null);
  };
  events.onerror = () => {
    const isRefused = events.readyState === EventSource.CLOSED;
    tell("lost", isRefused ? "The server was started anew; open the link that it printed." : NO_ANSWER);
    if (isRefused) setTimeout(() => listen(tell, true), 2000);
  };
  for (const kind of ["play", "run", "farm", "mending", "reload"]) {
    events.addEventListener(kind, (event) => tell(kind, JSON.parse(event.data)));
  }
}

const known = new Map(); // what was read, by path: value or error, and whether it is out of date
const latest = new Map(); // the last value of each slot of `readLatest`

/** What the server says at a path: {value} or {error}, neither while it is on its way; the page is drawn when it comes. */
export function read(path) {
  const entry = known.get(path) ?? {isOld: true};
  known.delete(path);
  known.set(path, entry); // last, as the one that was used last
  if (known.size > MOST_KNOWN) known.delete(known.keys().next().value);
  if (entry.isOld) {
    entry.isOld = false;
    readInto(entry, path);
  }
  return entry;
}

async function readInto(entry, path) {
  try {
    entry.value = await get(path);
    entry.error = undefined;
  } catch (failure) {
    entry.error = failure.message;
    entry.isOld = failure.status === 0 && entry.value !== undefined; // what is shown stays while the server is away
  }
  draw();
}

/** As `read`, with the value that the slot had last while the new one is on its way: nothing flickers. */
export function readLatest(slot, path) {
  const entry = read(path);
  if (entry.value !== undefined) latest.set(slot, entry.value);
  return {value: latest.get(slot), error: entry.error};
}

/** Read again what was read at paths that begin so; until it comes the old values are shown. */
export function refresh(start = "") {
  for (const [path, entry] of known) if (path.startsWith(start)) entry.isOld = true;
  draw();
}

/** What `drawer` makes of the value at a path, or a line that it is on its way, or why it is not. */
export function whenRead(path, drawer) {
  const {value, error} = read(path);
  if (value !== undefined) return drawer(value);
  return error ? html`<p class="failure" role="alert">${error}</p>` : html`<p class="muted waiting">Loading…</p>`;
}

/** A value of the database for a person: text as it is, and a mark for none. */
export function drawValue(value) {
  if (value === null || value === undefined) return html`<span class="none" title="no value">∅</span>`;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const at = poison ? text.indexOf(poison.text) : -1;
  return at < 0 ? text : html`${text.slice(0, at)}<mark title=${`A poisoned text (${poison.kind})`}>☠ ${poison.text}</mark>${text.slice(at + poison.text.length)}`;
}

let poison = null; // of the task that is shown: values with its text are marked

/** Mark the poisoned text of a task, {place, key, kind, text}, wherever it is shown; null where there is none. */
export function drawPoison(told) {
  poison = told ?? null;
  return poison ? html`<span class="badge warn" title=${poison.text}>☠ poisoned: ${poison.place} of ${poison.key.join(" / ")} (${poison.kind})</span>` : nothing;
}

/** "1 cell", "3 cells". */
export function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** Choices of which one holds: each {name, title?, count?}. */
export function drawChoices(label, choices, chosen, choose) {
  return html`<div class="segmented" role="group" aria-label=${label}>
    ${choices.map(
      (choice) => html`<button
        type="button"
        aria-pressed=${choice.name === chosen ? "true" : "false"}
        @click=${() => choose(choice.name)}
      >${choice.title ?? choice.name}${choice.count ? html` <span class="badge">${choice.count}</span>` : nothing}</button>`,
    )}
  </div>`;
}
