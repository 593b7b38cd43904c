/* --- Annotated source (annotate_json.c) ----------------------------------------------------------------------------- */

function sourceRow(page, line, whole, on) {
  const rows = [element("tr", null,
    element("td", { class: "bar" }, line.computing > 0 ? intervalBar(line.computing / whole, line.uncertainty / whole) : null),
    numberCell(line.computing > 0 ? formatTime(line.computing, 3) : ""),
    numberCell(line.computing > 0 ? "± " + formatUncertainty(line.uncertainty) : "", " half"),
    element("th", { scope: "row", class: "line" }, String(line.line)),
    element("td", { class: "text" }, line.source || ""))];
  for (const call of line.calls || []) {
    if (!(call.inclusive > 0)) continue;
    const f = page.functions.find((g) => g.name === call.name);
    const count = call.N ? `${formatCount(call.N)} calls` + (call.lines > 1 ? ` at ${call.lines} lines` : "") : "";
    rows.push(element("tr", { class: "gap" }, element("td"), numberCell(formatTime(call.inclusive, 3)),
      numberCell("± " + formatUncertainty(call.uncertainty), " half"), element("td"),
      element("td", { class: "calls" }, call.inlined ? "inlined " : "calls ",
        f ? element("button", { type: "button", class: "link", onclick: () => on.select(f.index) }, nameElement(f.short)) : call.name,
        count ? ": " + count : "")));
  }
  return rows;
}

function sourceTable(page, source, on) {
  const whole = Math.max(1, ...source.lines.map((line) => line.computing || 0)), rows = [];
  source.lines.forEach((line, i) => {
    if (i && line.line > source.lines[i - 1].line + 1)
      rows.push(element("tr", { class: "gap" }, element("td"), element("td"), element("td"), element("td", { class: "line" }, "…"), element("td")));
    rows.push(...sourceRow(page, line, whole, on));
  });
  return element("div", { class: "source" }, element("table", null, element("tbody", null, rows)));
}

function createSources(page, on) {
  const sources = page.sources ? page.sources.functions.filter((s) => s.lines.some((line) => line.computing > 0)) : [];
  byId("sources-section").hidden = !sources.length;
  if (!sources.length) return;
  byId("sources-note").textContent = "Computing of each line, from samples; the lines of a function add up to its own computing." +
    (sources.some((s) => s.source_newer) ? " The source is newer than the run: lines may be others than those that ran." : "");
  byId("sources").replaceChildren(...sources.map((source, i) =>
    element("details", { class: "listing", open: i === 0 },
      element("summary", null, nameElement(source.name), element("span", { class: "place" },
        `${source.file ? baseName(source.file) + ":" + source.line : ""}  ${formatEstimate(source.computing, source.uncertainty)}`)),
      sourceTable(page, source, on))));
}
