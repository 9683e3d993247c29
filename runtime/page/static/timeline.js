// The timeline: every step as a button, branches below each other, the path to the step that is shown in full color.

import {html, nothing, svg} from "./lit-html.js";

const HIGH = 50; // pixels from lane to lane
const GAP = 16; // and between columns
const BOX = 152; // a button's width
const MANY = 8; // columns, from which on runs of steps that change nothing are folded
const TALL = 42;

let shownLast = ""; // which step of which play was brought into view

/** The strip; `name` is the play's or episode's, `show(number)` goes to a step. */
export function drawTimeline(name, steps, current, show) {
  const {places, lanes} = layOut(steps);
  const folds = foldColumns(steps, places, current);
  const path = new Set(pathTo(steps, current).map((step) => step.number));
  const ahead = new Set(pathTo(steps, endAfter(steps, current)).map((step) => step.number));
  const boxes = measure(places, folds);
  const width = boxes.at(-1).x + boxes.at(-1).width;
  bringIntoView(`${name}/${current}/${steps.length}`);
  return html`<nav class="timeline" aria-label="Timeline">
    <div class="timeline-inside" .style=${`width: ${width}px; height: ${lanes * HIGH}px`}>
      <svg width=${width} height=${lanes * HIGH} aria-hidden="true">
        ${steps.filter((step) => !isHidden(step, places, folds)).map((step) => drawLink(step, places, boxes, path.has(step.number)))}
      </svg>
      ${steps.filter((step) => !isHidden(step, places, folds)).map((step) => {
        const where = path.has(step.number) ? "on" : ahead.has(step.number) ? "ahead" : "off";
        const {column, lane} = places[step.number];
        const box = `left: ${boxes[column].x}px; width: ${boxes[column].width}px; top: ${lane * HIGH}px`;
        return drawChip(step, folds[column] ?? [step], where, step.number === current, box, show);
      })}
    </div>
  </nav>`;
}

/** For the first column of a run that is drawn as one button its steps, for the others of it an empty list. */
function foldColumns(steps, places, current) {
  const folds = [];
  const columns = Object.values(Object.groupBy(steps, (step) => places[step.number].column));
  if (columns.length <= MANY) return folds;
  for (const run of groupAlike(columns.map((those) => (those.length === 1 ? those[0] : null)), current, sortForStrip)) {
    if (run.length > 1) run.forEach((step, nth) => (folds[places[step.number].column] = nth ? [] : run));
  }
  return folds;
}

/** What says or looks something up is alike, and what is refused in the same way; all else stands out. */
function sortForStrip(step) {
  const {kind, note} = describeStep(step);
  if (step.done) return null;
  return ["say", "looked", "accepted"].includes(kind) ? "quiet" : kind === "refused" ? `${step.tool} ${note}` : null;
}

/** Steps in runs of those that follow each other and have the same sort; the one that is shown is alone. */
export function groupAlike(steps, current, sortOf) {
  const runs = [];
  let before = null;
  for (const step of steps) {
    const sort = step && step.number !== current ? sortOf(step) : null;
    if (sort !== null && sort === before && parentOf(step) === runs.at(-1).at(-1).number) runs.at(-1).push(step);
    else if (step) runs.push([step]);
    before = sort;
  }
  return runs;
}

const isHidden = (step, places, folds) => folds[places[step.number].column]?.length === 0;

/** Where each column begins, and its width. */
function measure(places, folds) {
  const boxes = [];
  for (let column = 0, x = 0; column <= Math.max(...places.map((place) => place.column)); column += 1) {
    const isInside = folds[column]?.length === 0;
    boxes.push(isInside ? {x: x - GAP, width: 0} : {x, width: BOX});
    if (!isInside) x += BOX + GAP;
  }
  return boxes;
}

function drawLink(step, places, boxes, isOn) {
  const from = places[parentOf(step)];
  if (!from) return nothing;
  const to = places[step.number];
  const [x, y] = [boxes[from.column].x + boxes[from.column].width, from.lane * HIGH + TALL / 2];
  const [endX, endY] = [boxes[to.column].x, to.lane * HIGH + TALL / 2];
  const line = y === endY ? `M${x} ${y}H${endX}` : `M${x} ${y}C${x + 14} ${y} ${endX - 16} ${endY} ${endX} ${endY}`;
  return svg`<path class=${isOn ? "on" : ""} d=${line}></path>`;
}

/** A step, or a run of them, as a button. */
function drawChip(step, run, where, isCurrent, box, show) {
  const {mark, title, note, kind} = describeStep(step);
  const by = step.by && step.by !== "you" ? ` by ${step.by}` : "";
  const names = [...new Set(run.map((each) => (each.kind === "say" ? "said" : each.tool)))];
  const last = run.at(-1).number;
  const [words, about] = run.length > 1 ? [names.join(", "), `${step.number} to ${last}`] : [title, `${step.number} · ${note}`];
  return html`<button
    type="button"
    class=${`step ${kind} ${where} ${run.length > 1 ? "run" : ""}`}
    .style=${box}
    aria-current=${isCurrent ? "step" : nothing}
    title=${run.length > 1 ? `Steps ${about}, unfolded by a click: ${words}` : `Step ${step.number}${by}: ${title}, ${note}`}
    @click=${() => show(step.number)}
  ><span class="step-title"><span class="step-mark" aria-hidden="true">${mark}</span> ${run.length > 1 ? `${run.length} × ` : ""}${words}</span>
    <span class="step-note">${about}</span></button>`;
}

function bringIntoView(key) {
  if (key === shownLast) return;
  shownLast = key;
  requestAnimationFrame(() => {
    const chip = document.querySelector(".timeline [aria-current]");
    const strip = chip?.closest(".timeline");
    if (!strip) return;
    const left = chip.offsetLeft - (strip.clientWidth - chip.offsetWidth) / 2;
    const top = chip.offsetTop - (strip.clientHeight - chip.offsetHeight) / 2;
    strip.scrollTo({left, top, behavior: Math.abs(left - strip.scrollLeft) > 3000 ? "instant" : "smooth"});
    if (strip.contains(document.activeElement)) chip.focus({preventScroll: true});
  });
}

/** Have keys step through what `find()` says is shown: {steps, current, show(number)}, or undefined. */
export function stepByKeys(find) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (event.key === "Escape") event.target.blur?.(); // from a field back to the keys of the timeline
    if (event.target.closest?.("input, textarea, select, .table-box, .talk")) return;
    const shown = find();
    const step = shown && stepByKey(event.key, shown.steps, shown.current);
    if (step === undefined) return;
    event.preventDefault();
    shown.show(step);
  });
}

/** The step that a key leads to from another, or undefined: along the branch, or to the branch above or below. */
function stepByKey(key, steps, current) {
  const {places} = layOut(steps);
  const {column, lane} = places[current];
  switch (key) {
    case "ArrowLeft":
      return steps[parentOf(steps[current])]?.number;
    case "ArrowRight": {
      const ahead = pathTo(steps, endAfter(steps, current)).map((step) => step.number);
      return ahead[ahead.indexOf(current) + 1] ?? childrenOf(steps, current).at(-1)?.number;
    }
    case "ArrowUp":
    case "ArrowDown": {
      const isUp = key === "ArrowUp";
      const others = steps.filter((step) => (isUp ? places[step.number].lane < lane : places[step.number].lane > lane));
      const distance = (step) => Math.abs(places[step.number].lane - lane) * 1000 + Math.abs(places[step.number].column - column);
      return others.sort((one, other) => distance(one) - distance(other))[0]?.number;
    }
    case "Home":
      return 0;
    case "End":
      return endAfter(steps, current);
    default:
      return undefined;
  }
}

// the steps of a play or an episode as a tree: paths, branches, and what a step is called

/** The steps from the start to one. */
export function pathTo(steps, number) {
  const path = [];
  for (let step = steps[number]; step; step = steps[parentOf(step)]) path.unshift(step);
  return path;
}

/** The number of the step that a step was acted from; those of an episode follow each other. */
export function parentOf(step) {
  return step.parent === undefined ? step.number - 1 : step.parent ?? -1;
}

/** The steps that were acted from one. */
export function childrenOf(steps, number) {
  return steps.filter((step) => parentOf(step) === number);
}

/** The steps from which nothing was done yet: the ends of the branches. */
export function endsOf(steps) {
  const parents = new Set(steps.map(parentOf));
  return steps.filter((step) => !parents.has(step.number));
}

/** The end of the branch that a step is on: the latest where it has several. */
export function endAfter(steps, number) {
  const later = endsOf(steps).filter((end) => pathTo(steps, end.number).some((step) => step.number === number));
  return later.at(-1)?.number ?? number;
}

/** The column and the lane of each step: a branch begins in a lane of its own. */
export function layOut(steps) {
  const places = [];
  const hasChild = new Set();
  let lanes = 0;
  for (const step of steps) {
    const parent = parentOf(step);
    const isFirst = parent >= 0 && !hasChild.has(parent);
    hasChild.add(parent);
    if (!isFirst) lanes += 1;
    const before = places[parent];
    places.push({column: before ? before.column + 1 : 0, lane: isFirst ? before.lane : lanes - 1});
  }
  return {places, lanes};
}

/** What a step changed, in words: "1 row added, 2 cells changed"; empty for nothing. */
export function describeChanges(step) {
  const cells = step.cells ?? [];
  const rows = (kind) => new Set(cells.filter((cell) => cell.row === kind).map((cell) => JSON.stringify([cell.table, cell.key]))).size;
  const parts = [[rows("added"), "row", "added"], [rows("removed"), "row", "removed"],
    [cells.filter((cell) => cell.row === "changed").length, "cell", "changed"]];
  return parts.filter(([number]) => number)
    .map(([number, noun, verb]) => `${number} ${noun}${number === 1 ? "" : "s"} ${verb}`).join(", ");
}

/** Failures of the service that a call of an episode met; the agent is told less. */
const FAULTS = {
  timeout_before: "timed out",
  timeout_after: "timed out, yet done",
  rate_limit: "rate limit",
  unavailable: "service down",
};

/** What a step is called: a mark, a title and a note, and a class for its color; the words say it without the color. */
export function describeStep(step) {
  const changes = describeChanges(step);
  if (step.kind === "start") return {mark: "▶", title: "start", note: "the user opens", kind: "start"};
  if (step.kind === "say") {
    const note = step.done ? "the end" : "said to the user";
    return {mark: "❝", title: step.text?.trim() || "gave up", note, kind: "say"};
  }
  if (step.violations?.length) return {mark: "⚠", title: step.tool, note: "rule broken", kind: "broken"};
  if (step.fault in FAULTS) return {mark: "⚡", title: step.tool, note: FAULTS[step.fault], kind: "refused"};
  if (step.refused) return {mark: "✕", title: step.tool, note: "refused", kind: "refused"};
  if (step.tool === "wait" && step.time) return {mark: "◷", title: step.tool, note: `until ${step.time.now.slice(0, 16)}`, kind: "looked"};
  if (changes) return {mark: "✎", title: step.tool, note: changes, kind: "wrote"};
  if (step.cells === null) return {mark: "○", title: step.tool, note: "accepted", kind: "accepted"}; // nobody knows what it changed
  return {mark: "○", title: step.tool, note: "changed nothing", kind: "looked"};
}
