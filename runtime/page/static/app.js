// The frame of the page: which view an address means, what is drawn around it, and what the server's events change.

import {html, nothing, render} from "./lit-html.js";
import {draw, link, live, onDraw, readRoute, refresh, say, set, state} from "./page.js";
import {drawDomain} from "./domains.js";
import {drawEpisode} from "./episode.js";
import {drawRun, drawRuns} from "./evaluation.js";
import {drawFarm, drawFarms} from "./farm.js";
import {drawHome, drawPlays} from "./home.js";
import {drawPlay, takePlayEvent} from "./play.js";
import {drawSaving} from "./saving.js";

const PLACES = [
  {name: "domains", title: "Home", pages: ["domains", "domain"]},
  {name: "plays", title: "Plays", pages: ["plays", "play"]},
  {name: "runs", title: "Evaluations", pages: ["runs", "run"]},
  {name: "farms", title: "Farms", pages: ["farms", "farm"]},
];

const VIEWS = {domains: drawHome, domain: drawDomain, plays: drawPlays, play: drawPlay, runs: drawRuns, run: drawRun, farms: drawFarms, farm: drawFarm, save: drawSaving};

function drawView(route) {
  if (route[0] === "run" && route[2] === "episode") return drawEpisode(route);
  return VIEWS[route[0]]?.(route)
    ?? html`<p class="failure">There is no page ${location.hash}. <a href=${link("domains")}>Home</a></p>`;
}

function drawNavigation(route) {
  return html`<nav class="places" aria-label="Places">
    ${PLACES.map((place) => html`<a
      href=${link(place.name)}
      aria-current=${place.pages.includes(route[0]) ? "page" : nothing}
    >${place.title}</a>`)}
  </nav>`;
}

function drawNotices() {
  return html`<div class="notices" role="status">
    ${state.lost ? html`<p class="banner bad"><span>✕ ${state.lost}</span></p>` : nothing}
    ${state.notice
      ? html`<p class="banner warn"><span>⚠ ${state.notice}</span>
          <button type="button" class="plain" aria-label="Close this notice" @click=${() => say("")}>✕</button></p>`
      : nothing}
  </div>`;
}

let shownPlace = "";

onDraw(() => {
  const {route} = state;
  const isWide = route[0] === "play" || route[2] === "episode";
  render(
    html`<header class="top">
        <a class="brand" href=${link("domains")}>Worldsmith <span>studio</span></a>
        ${drawNavigation(route)}
      </header>
      ${drawNotices()}
      <main class=${isWide ? "workbench" : "page"}>${drawView(route)}</main>`,
    document.getElementById("app"),
  );
  document.title = [document.querySelector("h1")?.textContent, "Worldsmith studio"].filter(Boolean).join(" · ");
  const place = route.slice(0, 2).join("/");
  if (place !== shownPlace) document.querySelector("main").scrollTo(0, 0);
  shownPlace = place;
});

addEventListener("popstate", () => set({route: readRoute()}));
addEventListener("hashchange", () => set({route: readRoute()}));

live((kind, data) => {
  if (kind === "lost") set({lost: data});
  else if (kind === "found") set({lost: "", notice: ""});
  else if (kind === "play") takePlayEvent(data);
  else if (kind === "run" || kind === "farm") refresh(`api/${kind}s`);
  else if (kind === "mending") ["mending", "domains"].forEach((each) => refresh(`api/${each}/${encodeURIComponent(data.mending)}`));
  else if (kind === "reload") refresh();
  draw();
});

set({route: readRoute()});
