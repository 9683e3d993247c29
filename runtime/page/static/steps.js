// The steps of a play or an episode as a tree: paths, branches, and what a step is called.

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
  if (changes) return {mark: "✎", title: step.tool, note: changes, kind: "wrote"};
  return {mark: "○", title: step.tool, note: "changed nothing", kind: "looked"};
}
