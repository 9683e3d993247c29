// The timeline: every step as a button, branches below each other, the path to the step that is shown in full color.

import {html, nothing, svg} from "./lit-html.js";
import {childrenOf, describeStep, endAfter, layOut, parentOf, pathTo} from "./steps.js";

const HIGH = 50; // pixels from lane to lane
const GAP = 16; // and between columns
const BOX = 152; // a button's width
const SLIM = 46; // that of what was said or looked up, where many steps follow each other
const MANY = 8; // columns
const TALL = 42;

let shownLast = ""; // which step of which play was brought into view

/** The strip; `name` is the play's or episode's, `show(number)` goes to a step. */
export function drawTimeline(name, steps, current, show) {
  const {places, lanes} = layOut(steps);
  const path = new Set(pathTo(steps, current).map((step) => step.number));
  const ahead = new Set(pathTo(steps, endAfter(steps, current)).map((step) => step.number));
  const boxes = measure(steps, places, current);
  const width = boxes.at(-1).x + boxes.at(-1).width;
  bringIntoView(`${name}/${current}/${steps.length}`);
  return html`<nav class="timeline" aria-label="Timeline">
    <div class="timeline-inside" .style=${`width: ${width}px; height: ${lanes * HIGH}px`}>
      <svg width=${width} height=${lanes * HIGH} aria-hidden="true">
        ${steps.map((step) => drawLink(step, places, boxes, path.has(step.number)))}
      </svg>
      ${steps.map((step) => {
        const where = path.has(step.number) ? "on" : ahead.has(step.number) ? "ahead" : "off";
        return drawChip(step, places[step.number], boxes, where, step.number === current, show);
      })}
    </div>
  </nav>`;
}

/** Where each column begins, and its width: writes, refusals, broken rules and both ends stand out among many steps. */
function measure(steps, places, current) {
  const boxes = [];
  const isLong = Math.max(...places.map((place) => place.column)) >= MANY;
  for (const step of steps) {
    const isSlim = isLong && ["say", "looked"].includes(describeStep(step).kind) && !step.done && step.number !== current;
    const box = (boxes[places[step.number].column] ??= {width: SLIM});
    if (!isSlim) box.width = BOX;
  }
  boxes.forEach((box, column) => (box.x = column ? boxes[column - 1].x + boxes[column - 1].width + GAP : 0));
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

function drawChip(step, place, boxes, where, isCurrent, show) {
  const {mark, title, note, kind} = describeStep(step);
  const by = step.by && step.by !== "you" ? ` by ${step.by}` : "";
  return html`<button
    type="button"
    class=${`step ${kind} ${where} ${boxes[place.column].width === SLIM ? "slim" : ""}`}
    .style=${`left: ${boxes[place.column].x}px; width: ${boxes[place.column].width}px; top: ${place.lane * HIGH}px`}
    aria-current=${isCurrent ? "step" : nothing}
    title=${`Step ${step.number}${by}: ${title}, ${note}`}
    @click=${() => show(step.number)}
  ><span class="step-title"><span class="step-mark" aria-hidden="true">${mark}</span> <span class="step-words">${title}</span></span>
    <span class="step-note">${step.number}<span class="step-words"> · ${note}</span></span></button>`;
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
    strip.scrollTo({left, top, behavior: "smooth"});
    if (strip.contains(document.activeElement)) chip.focus({preventScroll: true});
  });
}

/** The step that a key leads to from another, or undefined: along the branch, or to the branch above or below. */
export function stepByKey(key, steps, current) {
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
