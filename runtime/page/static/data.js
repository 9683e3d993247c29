// Where the page gets its data: the server, or in a frozen page the JSON elements of the document.

/** Whether the page is a file by itself: then nothing can be done, only looked at. */
export const frozen = "frozen" in document.documentElement.dataset;

const NO_ANSWER = "The server does not answer; start `worldsmith studio` again. What you typed stays.";

/** A sentence for a person, and the status of the answer: 0 if there was none. */
export class Failure extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

/** What the server says at a path. Throws a Failure. */
export async function get(path) {
  if (!frozen) return ask(path);
  const carried = document.getElementById(path); // each answer is an element of the file
  if (carried === null) throw new Failure("This page is a file; it does not hold that.", 404);
  return JSON.parse(carried.textContent);
}

/** Have the server do something. Throws a Failure. */
export async function post(path, body) {
  return ask(path, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Failure(NO_ANSWER, 0);
  }
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Failure(told.error ?? `The server answered with status ${answer.status}.`, answer.status);
  return told;
}

/**
 * Call `handle(kind, data)` for every event of the server: "play", "run", "reload"; and with "found" as the server
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
  for (const kind of ["play", "run", "reload"]) {
    events.addEventListener(kind, (event) => tell(kind, JSON.parse(event.data)));
  }
}
