/* --- The page: what is shown, and what changes it ------------------------------------------------------------------- */

const page = loadPage();
const nodes = page.nodes;

/* side: BEFORE or AFTER; zoom, node: of the call paths (node -1: none); func: index or -1; matches: of query, or null. */
const state = { side: AFTER, zoom: 0, node: -1, func: -1, query: "", matches: null, sort: page.compared ? "change" : "computing",
  ascending: false, theme: "", timeFrom: -1, timeTo: -1, oneScale: page.compared || page.profiles[AFTER].all.raw < 2.5 * page.profiles[AFTER].all.compensated };
const usual = { ...state };
let graph, table, timeline;

/* --- Permalink: all of the state that is not as usual, behind # --- */

const LINKED = { side: "side", zoom: "zoom", node: "path", func: "function", query: "q", sort: "sort", theme: "theme",
  timeFrom: "from", timeTo: "to" };

function writeLink(step) {
  const link = new URLSearchParams();
  for (const [key, name] of Object.entries(LINKED)) if (state[key] !== usual[key]) link.set(name, state[key]);
  if (state.ascending) link.set("order", "up");
  if (state.oneScale !== usual.oneScale) link.set("scale", state.oneScale ? "one" : "own");
  const hash = "#" + link.toString();
  if (hash === (location.hash || "#")) return;
  try {
    if (step) history.pushState(null, "", hash);
    else history.replaceState(null, "", hash);
  } catch {
    location.hash = hash;
  }
}

function readLink() {
  const text = location.hash.slice(1);
  if (text && !text.includes("=")) return false; /* a place in the page */
  const link = new URLSearchParams(text);
  Object.assign(state, usual);
  const number = (name, least, count, otherwise) => {
    const value = link.has(name) ? Number(link.get(name)) : otherwise;
    return Number.isInteger(value) && value >= least && value < count ? value : otherwise;
  };
  state.side = number("side", 0, 2, usual.side);
  state.zoom = number("zoom", 0, nodes.count, 0);
  state.node = number("path", 0, nodes.count, -1);
  state.func = number("function", 0, page.functions.length, -1);
  state.query = link.get("q") || "";
  state.timeFrom = number("from", 0, Infinity, -1);
  state.timeTo = number("to", 0, Infinity, -1);
  state.sort = link.get("sort") || usual.sort;
  state.ascending = link.get("order") === "up";
  if (link.has("scale")) state.oneScale = link.get("scale") === "one";
  if (["light", "dark"].includes(link.get("theme"))) state.theme = link.get("theme");
  return true;
}

/* --- Changes --- */

function change(values, step = true) {
  Object.assign(state, values);
  writeLink(step);
  show(values);
}

function show(changed) {
  if ("query" in changed) showMatches();
  if ("theme" in changed) showTheme();
  byId("side-0").setAttribute("aria-checked", state.side === BEFORE);
  byId("side-1").setAttribute("aria-checked", state.side === AFTER);
  byId("scale").checked = state.oneScale;
  byId("reset").hidden = state.zoom === 0;
  if ("sort" in changed || "query" in changed || "func" in changed) table.update();
  if ("func" in changed || "node" in changed) writeSelected(page, state, on);
  graph.update();
  timeline.update();
}

function showMatches() {
  const query = state.query.trim(), output = byId("matches");
  state.matches = query ? matchFunctions(page, query) : null;
  if (byId("search").value !== state.query) byId("search").value = state.query;
  byId("search").setAttribute("aria-invalid", query !== "" && !state.matches);
  output.textContent = !query ? "" : !state.matches ? "no regular expression"
    : `${formatCount(state.matches.count)} ${state.matches.count === 1 ? "function" : "functions"}, ` +
      `${formatShare(matchedShare(page, state.matches.matched, state.side))} of the time`;
}

function recolour() {
  graph.recolour();
  timeline.recolour();
}

function showTheme() {
  document.documentElement.dataset.theme = state.theme;
  if (graph) recolour();
}

function describe(i) {
  const f = nodes.function[i], times = [];
  if (page.compared) {
    const delta = nodeChange(page, i);
    times.push(`own ${formatTime(nodes.own[BEFORE][i])} before, ${formatTime(nodes.own[AFTER][i])} after ` +
      `(${formatSigned(delta.delta)} ± ${formatUncertainty(delta.uncertainty)}${delta.significant ? "" : ", not significant"})`);
  } else if (nodes.flags[i] & NODE.UNKNOWN) {
    times.push("counted alone: its time is its callers'");
  } else {
    times.push(`${formatEstimate(nodes.inclusive[AFTER][i], nodes.uncertainty[AFTER][i])} compensated, ` +
      `${formatTime(nodes.inclusive[BEFORE][i])} raw, own ${formatTime(nodes.own[AFTER][i])}`);
    if (nodes.waiting[AFTER][i] > 0) times.push(`waiting ${formatTime(nodes.waiting[AFTER][i])}`);
  }
  times.push(formatShare(nodes.inclusive[state.side][i] / Math.max(1, nodes.inclusive[state.side][0])) + " of all");
  if (hasPathCalls(page, f) && nodes.calls[AFTER][i]) times.push(formatCount(nodes.calls[AFTER][i]) + (nodes.calls[AFTER][i] === 1 ? " call" : " calls"));
  if (nodes.flags[i] & NODE.OPEN) times.push("not returned");
  return times.join(" · ");
}

const on = {
  select(f, node) {
    change({ func: f, node: node === undefined ? greatestNode(page, f, state.side) : node });
  },
  selectNode(i) {
    const f = nodes.function[i];
    change({ func: i > 0 && f >= 0 ? f : -1, node: i });
    byId("announce").textContent = nameOf(page, i) + ": " + describe(i);
  },
  zoom(i) {
    if (nodes.function[i] === LEFT_OUT) return;
    change({ zoom: i, node: i, func: i > 0 ? nodes.function[i] : -1 });
  },
  sort(key) {
    change({ sort: key, ascending: state.sort === key ? !state.ascending : key === "name" }, false);
    const button = byId("table").querySelector(`button[data-sort="${key}"]`);
    if (button) button.focus();
  },
  tip(content, event) {
    const tip = byId("tip");
    tip.hidden = !content || !event;
    if (tip.hidden) return;
    replaceContent(tip, content);
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = (event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18) + "px";
  },
  hover(i, event) {
    if (i < 0) return on.tip(null, null);
    const f = nodes.function[i];
    on.tip([element("strong", null, element("bdi", null, nameOf(page, i))),
      f >= 0 && placeOf(page.functions[f]) ? element("span", { class: "place" }, placeOf(page.functions[f])) : "",
      element("br"), describe(i)], event);
  },
  timeline(from, to, whole) {
    change({ timeFrom: whole ? -1 : from, timeTo: whole ? -1 : to }, false);
  },
};

/* --- Keys --- */

const KEYS = [["← → ↑ ↓", "caller, callee, neighbours"], ["Enter", "zoom to the selected frame"], ["Esc", "zoom out, then clear"],
  ["Home", "whole program"], ["+ −", "zoom in place (also Ctrl and the wheel; drag moves); in the timeline, too"], ["/", "search"], ["n N", "next, previous match"],
  ["c", page.compared ? "before ↔ after" : "raw ↔ compensated"], ["s", "one scale for both"], ["t", "light, dark, or as the system"], ["?", "this list"]];

function stepTo(i) {
  if (i < 0) return;
  on.selectNode(i);
  graph.reveal(i);
}

function neighbour(i, forward) {
  const parent = nodes.parent[i];
  if (parent < 0) return -1;
  let last = -1;
  for (let k = nodes.first[parent]; k >= 0; last = k, k = nodes.next[k])
    if (k === i) return forward ? nodes.next[k] : last;
  return -1;
}

function greatestChild(i) {
  let best = -1;
  for (let k = nodes.first[i]; k >= 0; k = nodes.next[k])
    if (best < 0 || nodes.inclusive[state.side][k] > nodes.inclusive[state.side][best]) best = k;
  return best;
}

function stepMatch(forward) {
  if (!state.matches) return;
  for (let step = 1, i = Math.max(state.node, 0); step <= nodes.count; step++) {
    const k = (i + (forward ? step : nodes.count - step)) % nodes.count, f = nodes.function[k];
    if (k && f >= 0 && state.matches.matched[f]) return stepTo(k);
  }
}

const graphKeys = {
  ArrowDown: () => stepTo(state.node < 0 ? state.zoom : greatestChild(state.node)),
  ArrowUp: () => stepTo(state.node < 0 ? state.zoom : nodes.parent[state.node]),
  ArrowLeft: () => stepTo(neighbour(state.node, false)),
  ArrowRight: () => stepTo(neighbour(state.node, true)),
  Enter: () => state.node >= 0 && on.zoom(state.node),
  Home: () => change({ zoom: 0 }),
  "+": () => graph.zoomBy(0.7),
  "-": () => graph.zoomBy(1 / 0.7),
};

const pageKeys = {
  "/": () => byId("search").focus(),
  c: () => change({ side: 1 - state.side }),
  s: () => change({ oneScale: !state.oneScale }, false),
  t: () => nextTheme(),
  n: () => stepMatch(true),
  N: () => stepMatch(false),
  "?": () => toggleHelp(),
  Escape: () => {
    if (state.zoom) change({ zoom: nodes.parent[state.zoom] });
    else change({ func: -1, node: -1, query: "" });
  },
};

function nextTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches, order = dark ? ["", "light", "dark"] : ["", "dark", "light"];
  change({ theme: order[(order.indexOf(state.theme) + 1) % 3] }, false);
}

function toggleHelp() {
  const help = byId("help");
  help.hidden = !help.hidden;
  byId("help-button").setAttribute("aria-expanded", !help.hidden);
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target, typing = target.matches && target.matches("input[type=search]");
  if (typing && event.key === "Escape") {
    change({ query: "" }, false);
    return target.blur();
  }
  if (typing && event.key === "Enter") return stepMatch(!event.shiftKey);
  if (typing) return;
  const action = (target === byId("canvas") && graphKeys[event.key]) || (target === byId("timeline") && timeline.keys[event.key]) ||
    pageKeys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

/* --- Start --- */

function start() {
  writeHead(page, on);
  byId("side-0").textContent = page.sideNames[BEFORE];
  byId("side-1").textContent = page.sideNames[AFTER];
  replaceContent(byId("help"), KEYS.map(([key, text]) => element("span", null, element("kbd", null, key), " " + text)));
  readLink();
  document.documentElement.dataset.theme = state.theme;
  graph = createGraph(page, state, on);
  table = createTable(page, state, on);
  timeline = createTimeline(page, state, on);
  show(state);
  createThreads(page);
  createSources(page, on);
  for (const s of [BEFORE, AFTER]) byId("side-" + s).addEventListener("click", () => change({ side: s }));
  byId("scale").addEventListener("change", (event) => change({ oneScale: event.target.checked }, false));
  byId("search").addEventListener("input", (event) => change({ query: event.target.value }, false));
  byId("reset").addEventListener("click", () => change({ zoom: 0 }));
  byId("theme").addEventListener("click", nextTheme);
  byId("help-button").addEventListener("click", toggleHelp);
  byId("unselect").addEventListener("click", () => change({ func: -1, node: -1 }));
  addEventListener("popstate", () => readLink() && show(state));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light";
    graph.print(true);
    timeline.recolour(true);
    table.all(true);
  });
  addEventListener("afterprint", () => {
    document.documentElement.dataset.theme = state.theme;
    graph.print(false);
    timeline.recolour(true);
    table.all(false);
  });
  performance.mark("pcomp-painted");
}

start();
