// A report: one run in a file of its own, drawn by the same views.

import {html, render} from "./lit-html.js";
import {onDraw, readRoute, set, state} from "./page.js";
import {drawRun} from "./evaluation.js";
import {drawEpisode} from "./episode.js";

const WHOLE = ["run", "run"]; // the address of the only run

function route() {
  const asked = readRoute();
  return asked[0] === "run" ? asked : WHOLE;
}

onDraw(() => {
  const isEpisode = state.route[2] === "episode";
  render(
    html`<main class=${isEpisode ? "workbench" : "page"}>${isEpisode ? drawEpisode(state.route) : drawRun(state.route)}</main>`,
    document.getElementById("app"),
  );
});

addEventListener("popstate", () => set({route: route()}));
addEventListener("hashchange", () => set({route: route()}));
set({route: route()});
