/* --- The selected function: its call path, times, callers and callees ----------------------------------------------- */

function timeEntries(page, f, node) {
  const nodes = page.nodes, entries = [];
  const add = (title, text, hint) => entries.push(element("div", { title: hint }, element("dt", null, title), element("dd", null, text)));
  const times = f && f.sides[AFTER];
  if (page.compared) {
    for (const s of [BEFORE, AFTER])
      if (f && f.sides[s]) {
        add(`own, ${page.sideNames[s]}`, formatEstimate(f.sides[s].own, f.sides[s].ownUncertainty));
        add(`inclusive, ${page.sideNames[s]}`, formatEstimate(f.sides[s].all, f.sides[s].allUncertainty));
        add(`calls, ${page.sideNames[s]}`, formatCount(f.sides[s].calls));
      }
    if (f) {
      const change = functionChange(f);
      add("change of own", `${formatSigned(change.delta)} ± ${formatUncertainty(change.uncertainty)}` +
        (change.significant ? "" : ", not significant"));
    }
    return entries;
  }
  if (times) {
    add("own", formatEstimate(times.own, times.ownUncertainty), "compensated, without callees");
    add("inclusive", formatEstimate(times.all, times.allUncertainty), "compensated, with callees");
    if (times.waiting > 0) add("own waiting", formatTime(times.waiting));
    if (times.allWaiting > 0) add("waiting, inclusive", formatTime(times.allWaiting));
    add("calls", formatCount(times.calls) + (times.callsUncertainty ? " ± " + formatCount(times.callsUncertainty) : ""));
    add("measured own", formatTime(times.rawOwn));
    add("measured inclusive", formatTime(times.rawAll));
    if (isKnown(times.half)) add("one call", `${formatTime(times.half)}, p99 ${formatTime(times.most)}`, "median, compensated");
    if (isKnown(times.longest)) add("longest call", formatTime(times.longest));
    if (times.level) add("level", times.level);
    if (times.open) add("not returned", formatCount(times.open));
  }
  if (node > 0 && nodes.function[node] !== LEFT_OUT)
    add("on this path", `${formatEstimate(nodes.inclusive[AFTER][node], nodes.uncertainty[AFTER][node])}, ` +
      (hasPathCalls(page, nodes.function[node]) ? `${formatCount(nodes.calls[AFTER][node])} calls` : "calls not counted a path"));
  return entries;
}

function edgeTable(page, edges, on, whole) {
  if (!edges.length) return element("p", { class: "note" }, "none");
  const name = (edge) => edge.other === null ? "[root]" : edge.other === LEFT_OUT ? "[smaller paths]" : page.functions[edge.other].name;
  const cells = (edge) => page.compared
    ? [numberCell(formatTime(edge.times[BEFORE])), numberCell(formatTime(edge.times[AFTER]))]
    : [numberCell(edge.recursive ? "recursion" : formatEstimate(edge.times[AFTER], edge.uncertainty))];
  return element("table", { class: "edges" },
    element("thead", null, element("tr", null, element("th", { scope: "col" }, "time"),
      page.compared ? [element("th", { scope: "col" }, "before"), element("th", { scope: "col" }, "after")]
        : element("th", { scope: "col" }, "inclusive"),
      element("th", { scope: "col" }, "calls"), element("th", { scope: "col", class: "text" }, "function"))),
    element("tbody", null, edges.slice(0, 30).map((edge) => element("tr", null,
      element("td", { class: "bar" }, intervalBar(edge.times[AFTER] / whole, 0)),
      cells(edge), numberCell(edge.calls ? formatCount(edge.calls) : ""),
      element("td", { class: "function" }, edge.other === null || edge.other < 0 ? name(edge)
        : element("button", { type: "button", class: "link", onclick: () => on.select(edge.other, edge.node) }, nameElement(name(edge))))))));
}

function pathItems(page, node, on) {
  const path = [];
  for (let i = node; i > 0; i = page.nodes.parent[i]) path.unshift(i);
  const shown = path.length > 24 ? [...path.slice(0, 11), -1, ...path.slice(-12)] : path;
  return shown.map((i) => element("li", null, i < 0 ? `… ${path.length - 23} more …`
    : element("button", { type: "button", class: "link", "aria-current": i === node ? "true" : null,
      onclick: () => on.selectNode(i) }, nameElement(i === node ? nameOf(page, i) : shortName(nameOf(page, i))))));
}

function writeSelected(page, state, on) {
  const section = byId("selected"), f = state.func >= 0 ? page.functions[state.func] : null;
  section.hidden = !f;
  if (!f) return;
  byId("selected-title").replaceChildren(nameElement(f.name));
  byId("selected-place").textContent = [f.file || f.module, f.line || null].filter(Boolean).join(":");
  replaceContent(byId("selected-path"), state.node > 0 ? pathItems(page, state.node, on) : []);
  replaceContent(byId("selected-times"), timeEntries(page, f, state.node));
  const whole = Math.max(1, f.sides[AFTER] ? f.sides[AFTER].all || 0 : 0);
  replaceContent(byId("callers"), edgeTable(page, edgesOf(page, f.index, true), on, whole));
  replaceContent(byId("callees"), edgeTable(page, edgesOf(page, f.index, false), on, whole));
}
