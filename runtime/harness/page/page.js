"use strict";
// Everything that a conversation holds is put on the page as text, never as markup.
(() => {
  const read = (id) => {
    const found = document.getElementById(id);
    return found && JSON.parse(found.textContent);
  };
  const at = (id) => document.getElementById(id);
  const run = read("run-data");
  const AT_ONCE = 150; // entries of the list
  const ROWS_AT_ONCE = 40; // tasks in the table of all trials
  const LONG = 240; // characters of a sentence of the verdict

  function make(name, options, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(options || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key === "class") element.className = value;
      else element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.filter((each) => each !== null && each !== undefined && each !== ""));
    return element;
  }

  // Names may break after a mark in them, never within a word.
  const soft = (text) => {
    const parts = document.createDocumentFragment();
    String(text)
      .split(/(?<=[_/:.,@=)\\])(?=\w)/)
      .forEach((part, place) => parts.append(...(place ? [make("wbr"), part] : [part])));
    return parts;
  };
  const number = (value) => value.toLocaleString("en-US");
  const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
  const share = (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)}%`);
  const spread = (score) =>
    score.low === null || score.low === undefined ? "" : `${(100 * score.low).toFixed(1)} to ${(100 * score.high).toFixed(1)}`;
  const outcome = (entry) => (entry.reward === null ? "void" : entry.reward === 1 ? "reached" : "failed");
  const OUTCOMES = { reached: ["✓", "Goal reached"], failed: ["✕", "Failed"], void: ["○", "Void"] };
  const ENDS = {
    done: "ended by the user",
    gave_up: "the agent gave up",
    out_of_turns: "out of turns",
    out_of_calls: "out of tool calls",
    out_of_time: "out of time",
    void: "ended by a fault of the environment or harness",
  };

  // The run

  function drawRun() {
    document.title = `${run.agent}: evaluation`;
    const facts = run.facts.map(([name, value, more]) =>
      make("div", {}, make("dt", {}, name), make("dd", {}, value, more ? make("small", {}, more) : null)),
    );
    at("run").append(
      make("p", { class: "eyebrow" }, run.made),
      make("h1", {}, soft(run.agent)),
      make("p", { class: "lead" }, run.lead),
      make("dl", { class: "facts" }, ...facts),
    );
  }

  // Scores

  function drawScores() {
    const figures = run.figures;
    const hero = make(
      "div",
      { class: "hero" },
      make("p", { class: "name" }, figures.headline.name),
      figures.headline.value === null
        ? make("p", { class: "value" }, "–")
        : make("p", { class: "value" }, (100 * figures.headline.value).toFixed(1), make("small", {}, "%")),
      spread(figures.headline) ? make("p", { class: "interval" }, `95% interval ${spread(figures.headline)}`) : null,
      ...figures.notes.map((each) => make("p", { class: "note" }, each)),
    );
    const tables = make("div", { class: "tables" }, ...figures.tables.map(drawTable));
    at("scores").append(make("div", { class: "scores" }, hero, tables));
  }

  function drawTable(table) {
    const head = make(
      "tr",
      {},
      make("th", { scope: "col" }, table.first),
      ...table.counts.map((each) => make("th", { scope: "col", class: "number" }, each)),
      make("th", { scope: "col", class: "number" }, table.score),
      make("th", { scope: "col" }, "95% interval"),
      make("th", { class: "picture", "aria-hidden": "true" }),
    );
    const body = table.rows.map((row) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, row.name),
        ...row.counts.map((each) => make("td", { class: "number" }, number(each))),
        make("td", { class: "number" }, share(row.value)),
        make("td", { class: "interval" }, spread(row)),
        make("td", { class: "picture", "aria-hidden": "true" }, row.value === null ? "" : drawRange(row)),
      ),
    );
    return make(
      "div",
      { class: "scroll" },
      make(
        "table",
        {},
        make("caption", {}, table.title, table.what ? make("small", {}, table.what) : null),
        make("thead", {}, head),
        make("tbody", {}, ...body),
      ),
    );
  }

  function drawRange(score) {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    const bar = (name, left, right, top, height) => {
      const rect = document.createElementNS(space, "rect");
      const parts = { class: name, x: left, y: top, width: Math.max(right - left, 0), height: height, rx: 1 };
      for (const [key, value] of Object.entries(parts)) rect.setAttribute(key, value);
      svg.append(rect);
    };
    svg.setAttribute("class", "range");
    svg.setAttribute("viewBox", "0 0 100 12");
    svg.setAttribute("preserveAspectRatio", "none");
    bar("ground", 0, 100, 4.5, 3);
    if (spread(score)) bar("spread", 100 * score.low, 100 * score.high, 3, 6);
    bar("point", Math.min(Math.max(100 * score.value - 0.7, 0), 98.6), Math.min(Math.max(100 * score.value + 0.7, 1.4), 100), 0, 12);
    return svg;
  }

  // Failures

  function drawFailures() {
    if (!run.failures.length) {
      at("failures").append(make("p", { class: "note" }, run.episodes.length ? "No episode failed." : "No episode was played yet."));
      return;
    }
    const most = Math.max(...run.failures.map((each) => each.count));
    const rows = run.failures.map((each) => {
      const fill = make("span");
      fill.style.width = `${(100 * each.count) / most}%`;
      const button = make(
        "button",
        { type: "button", "aria-label": `${each.reason}: ${plural(each.count, "episode")}${each.fault ? `, fault of the ${each.fault}` : ""}; show them` },
        make("span", {}, each.reason || "no reason given"),
        make("span", { class: "fault" }, each.fault || ""),
        make("span", { class: "many" }, number(each.count)),
        make("span", { class: "bar" }, fill),
      );
      button.addEventListener("click", () => {
        for (const name of ["words", "outcome", "domain"]) filters.elements[name].value = "";
        filters.elements.reason.value = each.reason;
        applyFilters();
        at("episodes").scrollIntoView();
        const first = at("list").querySelector("a");
        if (first) first.focus({ preventScroll: true });
      });
      return make("li", {}, button);
    });
    at("failures").append(
      make("p", { class: "note" }, run.failures_note),
      make("ol", { class: "reasons" }, ...rows),
    );
  }

  // The table of all trials

  const marksOf = (task) => [task.level === null ? "" : `level ${task.level}`, task.split === "held_out" ? "held out" : ""].filter(Boolean);

  function drawTrials() {
    const trials = new Map();
    for (const entry of run.episodes) {
      const name = `${entry.domain}/${entry.task}`;
      if (!trials.has(name)) trials.set(name, new Map());
      trials.get(name).set(entry.trial, entry);
    }
    const played = run.tasks.filter((task) => trials.has(`${task.domain}/${task.id}`));
    const most = Math.max(0, ...run.episodes.map((each) => each.trial));
    const numbers = Array.from({ length: most + 1 }, (_, trial) => trial);
    const body = make("tbody", {});
    const several = new Set(played.map((task) => task.domain)).size > 1;
    const add = (some) => {
      for (const task of some) {
        const mine = trials.get(`${task.domain}/${task.id}`);
        const about = [...(several ? [task.domain] : []), task.id, ...marksOf(task)].join(" · ");
        body.append(
          make(
            "tr",
            {},
            make("th", { scope: "row" }, task.title, make("span", { class: "about" }, soft(about))),
            ...numbers.map((trial) => make("td", {}, mine.has(trial) ? drawTrial(mine.get(trial)) : "")),
          ),
        );
      }
    };
    const more = make("button", { type: "button", class: "whole" }, `Show all ${plural(played.length, "task")}`);
    more.addEventListener("click", () => {
      add(played.slice(ROWS_AT_ONCE));
      more.remove();
      if (current >= 0) markCurrent();
    });
    add(played.slice(0, ROWS_AT_ONCE));
    const head = make("tr", {}, make("th", { scope: "col" }, "Task"), ...numbers.map((trial) => make("th", { scope: "col" }, make("span", { class: "unseen" }, "Trial "), String(trial))));
    const said = Object.entries(OUTCOMES).map(([kind, [sign, words]]) => make("span", {}, make("span", { class: `sign ${kind}`, "aria-hidden": "true" }, `${sign} `), words.toLowerCase()));
    at("trials").append(
      make("p", { class: "note signs" }, "Each trial of each task, as a link to its episode.", ...said),
      make("div", { class: "scroll" }, make("table", { class: "trials" }, make("thead", {}, head), body)),
      played.length > ROWS_AT_ONCE ? more : "",
    );
  }

  function drawTrial(entry) {
    const [sign, words] = OUTCOMES[outcome(entry)];
    const said = `${titleOf(entry)}, trial ${entry.trial}: ${words.toLowerCase()}${entry.reason ? `, ${entry.reason}` : ""}`;
    return make("a", { href: anchorOf(entry), class: outcome(entry), title: said, "aria-label": said }, sign);
  }

  // The list

  const filters = at("filters");
  let shown = [];
  let drawn = 0;
  let current = -1;

  const tasks = new Map(run.tasks.map((each) => [`${each.domain}/${each.id}`, each]));
  const taskOf = (entry) => tasks.get(`${entry.domain}/${entry.task}`);
  const titleOf = (entry) => taskOf(entry).title;
  const anchorOf = (entry) => `#${encodeURIComponent(entry.domain)}/${encodeURIComponent(entry.task)}/${entry.trial}`;

  function fillChoices() {
    const add = (name, values) => {
      const select = filters.elements[name];
      for (const value of values) select.append(make("option", { value: value }, value || "no reason given"));
      if (values.length < 2) select.parentElement.hidden = !values.length || name === "domain";
    };
    add("domain", [...new Set(run.episodes.map((each) => each.domain))]);
    add("reason", [...new Set(run.failures.map((each) => each.reason))]);
  }

  function applyFilters() {
    const words = filters.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = (name) => filters.elements[name].value;
    shown = run.episodes.filter((entry) => {
      if (wanted("outcome") && outcome(entry) !== wanted("outcome")) return false;
      if (wanted("domain") && entry.domain !== wanted("domain")) return false;
      if (wanted("reason") && entry.reason !== wanted("reason")) return false;
      const text = `${titleOf(entry)} ${entry.domain} ${entry.task} ${entry.reason} ${entry.end}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    drawn = 0;
    at("list").replaceChildren();
    drawMore();
    const all = shown.length === run.episodes.length;
    at("count").textContent = all ? `${plural(shown.length, "episode")}` : `${number(shown.length)} of ${plural(run.episodes.length, "episode")}`;
    if (current >= 0) drawSteps();
  }

  function drawMore() {
    const next = shown.slice(drawn, drawn + AT_ONCE).map(drawEntry);
    at("list").append(...next);
    drawn += next.length;
    at("more").hidden = drawn >= shown.length;
  }

  function drawEntry(entry) {
    const kind = outcome(entry);
    const about = [`trial ${entry.trial}`, plural(entry.turns, "turn"), plural(entry.calls, "call")];
    if (entry.rejections) about.push(`${number(entry.rejections)} rejected`);
    if (entry.service_faults) about.push(`${number(entry.service_faults)} met a fault of the service`);
    if (entry.end !== "done") about.push(ENDS[entry.end]);
    return make(
      "li",
      {},
      make(
        "a",
        { href: anchorOf(entry), class: `${kind}${entry.told ? "" : " short"}`, "aria-current": entry.at === current ? "true" : null },
        make("span", { class: "sign", "aria-hidden": "true" }, OUTCOMES[kind][0]),
        make("span", { class: "title" }, make("span", { class: "unseen" }, `${OUTCOMES[kind][1]}: `), titleOf(entry)),
        make("span", { class: "about" }, about.join(" · "), entry.reason ? make("br") : null, entry.reason || null),
      ),
    );
  }

  // One episode

  function drawEpisode(entry) {
    const kind = outcome(entry);
    const told = read(`episode-${entry.at}`);
    const about = [`${entry.domain} / ${entry.task}`, ...marksOf(taskOf(entry)), `trial ${entry.trial}`, ENDS[entry.end]];
    about.push(plural(entry.turns, "turn"), plural(entry.calls, "call"));
    if (kind === "failed") about.push(`progress ${share(Math.min(entry.progress, 0.999))}`);
    about.push(`${entry.seconds.toFixed(1)} s`);
    if (told) {
      const sum = Object.entries(told.tokens).filter(([name]) => name !== "cached").reduce((total, [, count]) => total + count, 0);
      if (sum) about.push(`${number(sum)} tokens${told.estimated ? " (estimated)" : ""}`);
      if (told.slips) about.push(`${plural(told.slips, "reply").replace("replys", "replies")} of the user asked for again`);
    }
    const article = at("episode");
    article.replaceChildren(
      make("div", { class: "steps", id: "steps" }),
      make("span", { class: `outcome ${kind}` }, `${OUTCOMES[kind][0]} ${OUTCOMES[kind][1]}`, entry.fault ? `: ${entry.fault}` : ""),
      make("h2", {}, titleOf(entry)),
      make("p", { class: "about" }, soft(about.join(" · ")), " · ", make("a", { href: anchorOf(entry) }, "link to this episode")),
      entry.reason ? make("p", { class: "about" }, `Reason: ${entry.reason}`) : "",
    );
    drawSteps();
    if (told) {
      article.append(make("div", { class: "sides" }, drawTalk(entry, told), drawState(entry, told)));
    } else {
      article.append(make("p", { class: "empty" }, "This page holds no conversation of this episode; the run store does."));
    }
  }

  function drawSteps() {
    const here = shown.findIndex((each) => each.at === current);
    const step = (entry, words) => entry && make("a", { href: anchorOf(entry), title: titleOf(entry) }, words);
    const steps = at("steps");
    if (steps) steps.replaceChildren(...[step(shown[here - 1], "Previous"), step(shown[here + 1], "Next")].filter(Boolean));
  }

  function drawTalk(entry, told) {
    const talk = make("div", { class: "talk" });
    const results = new Map();
    for (const message of told.messages) if (message.role === "tool") results.set(message.call, message);
    for (const message of told.messages) {
      if (message.role === "system") {
        const details = make("details", { class: "system" }, make("summary", {}, "System message"), make("pre", {}, message.text));
        talk.append(details);
      } else if (message.role === "user") {
        talk.append(drawBubble("user", "User", message.text));
      } else if (message.role === "assistant") {
        if (message.text.trim()) {
          talk.append(drawBubble(message.by_agent ? "agent" : "agent given", message.by_agent ? "Agent" : "Greeting, not by the agent", message.text));
        }
        for (const call of message.calls) talk.append(drawCall(call, results.get(call.id)));
      }
    }
    const why = told.why ? `: ${told.why}` : ".";
    const ended = `The episode was ${ENDS[entry.end]}`;
    const ends = { done: ended, void: ended, gave_up: "The agent gave up", out_of_turns: "Out of turns", out_of_calls: "Out of tool calls", out_of_time: "Out of time" };
    talk.append(make("p", { class: "ending" }, `${ends[entry.end]}${why}`));
    const side = make("section", { class: "side", "aria-label": "Conversation" }, make("h3", {}, "Conversation"), talk);
    side.style.paddingTop = "0";
    return side;
  }

  function drawBubble(kind, who, words) {
    return make("div", { class: `bubble ${kind}` }, make("p", { class: "who" }, who), make("p", { class: "words" }, words));
  }

  function drawCall(call, result) {
    const rejected = Boolean(result && result.rejected);
    const given = call.given.flatMap(([name, value]) => [make("dt", {}, soft(name)), make("dd", {}, written(value))]);
    const box = make(
      "div",
      { class: `call${rejected ? " rejected" : ""}` },
      make("span", { class: "unseen" }, "Call of "),
      make("span", { class: "tool" }, soft(call.name)),
      given.length ? make("dl", {}, ...given) : "",
    );
    if (!result) box.append(make("p", { class: "who" }, "no answer"));
    else if (rejected) box.append(make("p", { class: "refusal" }, make("b", {}, "Rejected "), result.text));
    else box.append(make("details", {}, make("summary", {}, `Result, ${plural(result.text.length, "character")}`), make("pre", { tabindex: "0" }, result.text)));
    return box;
  }

  // A value without blanks is a name as long as it is short; longer ones are texts or JSON.
  const written = (value) => (value === null ? "null" : value.length < 120 && !/\s/.test(value) ? soft(value) : value);

  const STATUS = {
    made: "as expected",
    wrong: "wrong",
    missing: "missing",
    extra: "not asked for",
    ignored: "does not count",
    unjudged: "not judged",
    told: "told",
  };

  function drawState(entry, told) {
    const side = make("section", { class: "side", "aria-label": "Final state" }, make("h3", {}, "Final state beside the expected one"));
    side.style.paddingTop = "0";
    const said = told.said.map((each) => make("li", {}, each.length <= LONG ? each : drawLong(each)));
    if (entry.reward === 1) said.push(make("li", { class: "calm" }, "Everything is as it should be, and nothing else was changed."));
    said.push(...told.broken.map((each) => make("li", {}, each)));
    if (entry.reward === null) said.push(make("li", { class: "calm" }, "A void episode is not judged; it counts neither for nor against the agent."));
    side.append(make("ul", { class: "verdict", "aria-label": "Verdict" }, ...said));
    if (told.answers.length) {
      const answers = told.answers.map((each) =>
        make("li", {}, make("span", {}, `${each.name}: `, make("b", {}, each.value)), make("span", { class: `tag ${each.status}` }, STATUS[each.status] === "missing" ? "not told" : STATUS[each.status])),
      );
      side.append(make("ul", { class: "answers", "aria-label": "What the user must be told" }, ...answers));
    }
    if (told.checks.length) {
      const checks = told.checks.map((each) =>
        make("li", {}, make("span", {}, each.claim), make("span", { class: `tag ${each.status}` }, { made: "holds", missing: "does not hold" }[each.status] || STATUS[each.status])),
      );
      side.append(make("ul", { class: "answers", "aria-label": "What must hold at the end" }, ...checks));
    }
    side.append(...told.rows.filter((row) => row.status !== "ignored").map(drawRow));
    const quiet = told.rows.filter((row) => row.status === "ignored");
    if (quiet.length) {
      side.append(make("details", { class: "quiet" }, make("summary", {}, `${plural(quiet.length, "changed row")} that ${quiet.length === 1 ? "does" : "do"} not count`), ...quiet.map(drawRow)));
    }
    if (!told.rows.length) side.append(make("p", { class: "note" }, "No row was expected to change, and none did."));
    return side;
  }

  function drawLong(sentence) {
    const cut = sentence.lastIndexOf(" ", LONG - 60);
    return make("details", {}, make("summary", {}, `${sentence.slice(0, cut)} …`), sentence.slice(cut + 1));
  }

  function drawRow(row) {
    const verb = { added: "added", changed: "changed", removed: "removed" }[row.kind];
    const columns = row.columns.map((column) =>
      make(
        "tr",
        { class: column.status },
        make("th", { scope: "row" }, soft(column.name)),
        make("td", {}, drawValue(column, "wanted", row)),
        make("td", { class: "found" }, ...drawFound(column, row)),
      ),
    );
    const body = columns.length
      ? make(
          "table",
          {},
          make("colgroup", {}, make("col", { class: "name" }), make("col"), make("col")),
          make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Column"), make("th", { scope: "col" }, "Expected"), make("th", { scope: "col" }, "Actual"))),
          make("tbody", {}, ...columns),
        )
      : "";
    return make(
      "div",
      { class: "row" },
      make(
        "header",
        {},
        make("h4", {}, `${row.table} ${row.status === "extra" || row.status === "ignored" ? verb : row.kind === "added" ? "to be added" : row.kind === "removed" ? "to be removed" : "to be changed"}`),
        make("span", { class: "key" }, soft(row.key.join(" / "))),
        make("span", { class: `tag ${row.status}` }, STATUS[row.status]),
      ),
      body,
    );
  }

  function drawValue(column, side, row) {
    if (!(side in column)) {
      if (side === "wanted" && row.status === "extra" && "was" in column) return make("span", { class: "nothing" }, `as it was: ${column.was === null ? "null" : column.was}`);
      return make("span", { class: "nothing" }, side === "wanted" ? "–" : "nothing");
    }
    if (column[side] === null) return make("i", { class: "nothing" }, "null");
    return column[side] === "" ? make("i", { class: "nothing" }, "empty") : make("span", {}, written(column[side]));
  }

  const SIGNS = { same: "✓ ", accepted: "≈ ", wrong: "✕ ", extra: "+ " };
  const SPOKEN = { same: "as expected: ", accepted: "counts as right: ", wrong: "wrong: ", extra: "not asked for: " };

  function drawFound(column, row) {
    const parts = [];
    if (SIGNS[column.status]) {
      parts.push(make("span", { "aria-hidden": "true" }, SIGNS[column.status]), make("span", { class: "unseen" }, SPOKEN[column.status]));
    }
    parts.push(drawValue(column, "found", row));
    if ("was" in column && column.was !== column.found && row.status !== "extra") parts.push(make("span", { class: "was" }, `was ${column.was === null ? "null" : column.was}`));
    if ("was" in column && column.was === column.found && column.status === "wrong") parts.push(make("span", { class: "was" }, "unchanged"));
    return parts;
  }

  // Where one is

  function markCurrent() {
    for (const link of document.querySelectorAll("#list a, #trials a")) {
      if (link.getAttribute("href") === anchorOf(run.episodes[current])) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  function follow() {
    const parts = location.hash.slice(1).split("/");
    let entry = null;
    if (parts.length === 3) {
      const [domain, task, trial] = [...parts.slice(0, 2).map(decodeURIComponent), Number(parts[2])];
      entry = run.episodes.find((each) => each.domain === domain && each.task === task && each.trial === trial);
    }
    if (!entry && parts.length === 3) {
      current = -1;
      at("episode").replaceChildren(make("p", { class: "empty" }, "This page has no episode ", soft(parts.map(decodeURIComponent).join("/")), "."));
      at("episodes").scrollIntoView();
      return true;
    }
    if (!entry) return false;
    current = entry.at;
    drawEpisode(entry);
    markCurrent();
    document.querySelector(".panes").classList.add("reading");
    at("episode").focus({ preventScroll: true });
    at("episode").scrollIntoView({ block: "start", behavior: "auto" });
    return true;
  }

  drawRun();
  drawScores();
  drawFailures();
  drawTrials();
  fillChoices();
  at("told").textContent = run.told_note;
  applyFilters();
  filters.addEventListener("input", applyFilters);
  filters.addEventListener("reset", () => setTimeout(applyFilters));
  filters.addEventListener("submit", (event) => event.preventDefault());
  at("more").addEventListener("click", drawMore);
  addEventListener("hashchange", () => follow());
  if (!follow()) {
    const first = run.episodes.find((each) => each.told && outcome(each) !== "reached") || run.episodes.find((each) => each.told);
    if (first) {
      current = first.at;
      drawEpisode(first);
      markCurrent();
    } else at("episode").append(make("p", { class: "empty" }, "There is no episode."));
  }
})();
