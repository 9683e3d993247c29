// A played session becomes a task: what the user says, the calls that are right, what is missing, and the proofs.

import {html, nothing} from "./lit-html.js";
import {attempt, draw, link, memory, post, refresh, remember, say, whenRead} from "./page.js";

/** The page of a session: #/save/play/PLAY/STEP or #/save/run/RUN/EPISODE. */
export function drawSaving([, kind, name, at]) {
  const path = `api/save/${kind}/${encodeURIComponent(name)}/${at}`;
  return whenRead(path, (session) => {
    const memo = memory(path, {...typed(session.lost ? session.reference : session.played), proof: null, busy: false});
    return html`<article class="stack saving">
      <h1>Make a task of ${session.title}</h1>
      <p class="muted">Of ${session.name}, in ${session.domain}. A proven task is written to <code>${session.file}</code>.
        <a href=${kind === "run" ? link("run", name, "episode", at) : link("play", name, at, "talk")}>Back</a></p>
      ${session.lost ? html`<p class="card warn">The agent lost. Say what would have been right; what it did is kept as a wrong way, which must lose.
        <span class="row">${["reference", "played"].map((start) => html`<button type="button" @click=${() => remember(memo, {...typed(session[start]), proof: null})}
          >Start from ${start === "reference" ? "the right calls" : "the agent's calls"}</button>`)}</span></p>` : nothing}
      <form class="stack" @submit=${(event) => { event.preventDefault(); prove(path, memo, event.submitter?.value === "write"); }}>
        ${drawField(memo, "words", "What the user says, a request on each line", session.words ? `Left empty: ${session.words}` : "")}
        ${drawField(memo, "told", "What the user tells only when asked, a line each", "new price = 12.5")}
        ${drawField(memo, "answers", "What the user must be told, a line each", "new due date = 2026-04-03")}
        ${drawField(memo, "calls", "Calls, one a line; values that a look-up returned stay tied to it", "tool {\"argument\": \"value\"}")}
        <label class="row"><input type="checkbox" .checked=${memo.sure} @change=${(event) => remember(memo, {sure: event.target.checked})}>
          The words single out every row that is meant, such as the cheapest one</label>
        <p class="row"><button value="try" ?disabled=${memo.busy}>Try it</button>
          <button class="primary" value="write" ?disabled=${memo.busy}>Write the task</button></p>
      </form>
      ${memo.busy ? html`<p class="muted waiting">Proving…</p>` : memo.proof ? drawProof(path, memo) : nothing}
    </article>`;
  });
}

function drawField(memo, name, label, hint) {
  return html`<label class="field">${label}<textarea rows=${Math.max(2, memo[name].split("\n").length)} name=${name} placeholder=${hint}
    class=${name === "calls" ? "mono" : ""} .value=${memo[name]} @input=${(event) => { memo[name] = event.target.value; }}></textarea></label>`;
}

function drawProof(path, memo) {
  const {missing, lines, file, task} = memo.proof;
  if (!missing.length) {
    return html`<section class="card verdict-head good" aria-label="Proven"><h2>✓ ${file ? `Written: ${task}` : "Proven"}</h2>
      <ul class="findings">${lines.map((line) => html`<li>${line}</li>`)}</ul></section>`;
  }
  return html`<section class="card verdict-head bad" aria-label="Missing"><h2>✕ It is not a task yet</h2>
    <ul class="findings">${missing.map(({sentence, offer, mend}) => html`<li>${sentence} ${mend
      ? html`<button type="button" @click=${() => { Object.assign(memo, typed(mend)); prove(path, memo, false); }}>${offer}</button>` : nothing}</li>`)}</ul></section>`;
}

async function prove(path, memo, write) {
  let edit;
  try {
    edit = {words: linesOf(memo.words), told: pairsOf(memo.told), answers: pairsOf(memo.answers), calls: linesOf(memo.calls).map(readCall), sure: memo.sure};
  } catch (failure) {
    return say(failure.message);
  }
  remember(memo, {busy: true});
  const proof = await attempt(() => post(path, {edit, write}));
  Object.assign(memo, {busy: false, proof: proof ?? memo.proof});
  if (proof?.file) refresh("api/domains");
  return draw();
}

const linesOf = (text) => text.split("\n").map((line) => line.trim()).filter((line) => line);

function pairsOf(text) {
  return Object.fromEntries(linesOf(text).map((line) => {
    const [name, ...rest] = line.split("=");
    const value = rest.join("=").trim();
    if (!rest.length) throw new Error(`"${line}" is not of the form: name = value.`);
    return [name.trim(), String(Number(value)) === value ? Number(value) : value];
  }));
}

function readCall(line) {
  const [tool] = line.split(" ", 1);
  try {
    return {tool, arguments: JSON.parse(line.slice(tool.length) || "{}")};
  } catch {
    throw new Error(`The arguments of the call "${line}" are not JSON.`);
  }
}

/** An edit as a person types it. */
function typed({words, told, answers, calls, sure}) {
  const pairs = (values) => Object.entries(values).map(([name, value]) => `${name} = ${value}`).join("\n");
  return {words: words.join("\n"), told: pairs(told), answers: pairs(answers), sure,
    calls: calls.map((call) => `${call.tool} ${JSON.stringify(call.arguments)}`).join("\n")};
}
