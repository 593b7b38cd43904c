/* --- The table of functions, which is also the text of the graph ---------------------------------------------------- */

const ROWS_FIRST = 60;

function side(f) {
  return f.sides[AFTER];
}

function numberCell(text, extra) {
  return element("td", { class: "number" + (extra || "") }, text);
}

function estimateCells(value, uncertainty) {
  const below = isBelow(value, uncertainty);
  return [numberCell(below ? "<" + formatUncertainty(uncertainty) : formatTime(value), below ? " below" : ""),
    numberCell(uncertainty > 0 && !below ? "± " + formatUncertainty(uncertainty) : "", " half")];
}

/* key, title, hint; value(f): to sort by; cells(f): one or two cells. */
function profileColumns(page) {
  const whole = page.profiles[AFTER].all, waits = page.profiles[AFTER].knows_waiting && whole.waiting + whole.ready > 0;
  const computing = Math.max(1, whole.compensated - whole.waiting - whole.ready);
  const columns = [
    { key: "computing", title: "share", hint: "share of all computing: own time on a processor, with its 95 % interval",
      value: (f) => side(f).computing,
      cells: (f) => [element("td", { class: "bar" }, intervalBar(side(f).computing / computing, side(f).ownUncertainty / computing)),
        numberCell(isBelow(side(f).own, side(f).ownUncertainty) ? "" : formatShare(side(f).computing / computing))] },
    { key: "own", title: "own", hint: "own time, without that of callees; compensated, ± 95 %", value: (f) => side(f).own,
      cells: (f) => estimateCells(side(f).own, side(f).ownUncertainty) },
    { key: "inclusive", title: "inclusive", hint: "with callees; compensated, ± 95 %", value: (f) => side(f).all,
      cells: (f) => estimateCells(side(f).all, side(f).allUncertainty) },
    { key: "calls", title: "calls", hint: "number of calls", value: (f) => side(f).calls,
      cells: (f) => [numberCell(side(f).flags & FLAG.SUM ? "" : formatCalls(side(f).calls, side(f).callsUncertainty)),
        numberCell(side(f).callsUncertainty && !isBelowCalls(side(f).calls, side(f).callsUncertainty)
          ? "± " + formatCount(side(f).callsUncertainty) : "", " half")] },
    { key: "raw", title: "measured own", hint: "own time as the clock said", value: (f) => side(f).rawOwn,
      cells: (f) => [numberCell(formatTime(side(f).rawOwn))] },
    { key: "overhead", title: "measurement", hint: "what measuring added to the own time", value: (f) => side(f).rawOwn - side(f).own,
      cells: (f) => [numberCell(isKnown(side(f).rawOwn) && isKnown(side(f).own) ? formatTime(side(f).rawOwn - side(f).own) : "-")] },
    { key: "level", title: "level", hint: "how it was measured: every call timed, counted, or counted in windows",
      value: (f) => side(f).level || "", cells: (f) => [element("td", null, side(f).level || "")] },
  ];
  if (waits)
    columns.splice(2, 0, { key: "waiting", title: "off processor", hint: "own time blocked or preempted", value: (f) => side(f).waiting,
      cells: (f) => [numberCell(side(f).waiting > 0 ? formatTime(side(f).waiting) : "")] });
  return columns;
}

function comparisonColumns(page) {
  const whole = Math.max(1, page.profiles[BEFORE].all.compensated);
  const time = (key, title, s) => ({ key, title, hint: "own time " + title + ", compensated", value: (f) => f.sides[s] && f.sides[s].own,
    cells: (f) => (f.sides[s] ? estimateCells(f.sides[s].own, f.sides[s].ownUncertainty) : [numberCell("-"), numberCell("")]) });
  const mark = (f) => {
    const change = functionChange(f);
    return !change.significant ? "" : change.delta > 0 ? "grown" : "shrunk";
  };
  return [
    { key: "change", title: "change", hint: "of own time; coloured above its uncertainty", value: (f) => Math.abs(functionChange(f).delta),
      cells: (f) => [element("td", { class: "bar" }, intervalBar(Math.abs(functionChange(f).delta) / whole,
        functionChange(f).uncertainty / whole, mark(f) || "plain")),
        numberCell(formatSigned(functionChange(f).delta), " " + mark(f)),
        numberCell("± " + formatUncertainty(functionChange(f).uncertainty), " half")], span: 3 },
    time("before", "before", BEFORE),
    time("after", "after", AFTER),
    { key: "calls", title: "calls", hint: "change of the number of calls",
      value: (f) => (f.sides[AFTER] ? f.sides[AFTER].calls : 0) - (f.sides[BEFORE] ? f.sides[BEFORE].calls : 0),
      cells(f) {
        return [numberCell(f.sides[BEFORE] ? f.sides[AFTER] ? formatChangeOfCalls(f.sides) : "gone" : "new")];
      } },
  ];
}

const MARKS = { exceeded: "below zero: what it calls adds up to more than itself",
  inexact: "not exact: calls were estimated, lost or uncertain" };

function flagsOf(f) {
  return (side(f) || f.sides[BEFORE]).flags;
}

function isListed(f) {
  return f.name !== "[root]" && f.sides.some((s) => s && (s.calls || s.own));
}

function createTable(page, state, on) {
  const table = byId("table"), more = byId("more"), columns = page.compared ? comparisonColumns(page) : profileColumns(page);
  columns.unshift({ key: "name", title: "function", value: (f) => f.name, cells: (f) => [nameCell(f)], text: true });
  const spans = columns.map((column) => column.span || column.cells(page.functions.find((f) => f.sides[AFTER]) || page.functions[0]).length);
  let shown = ROWS_FIRST;

  function nameCell(f) {
    const flags = flagsOf(f);
    return element("th", { scope: "row", class: "function" },
      element("button", { type: "button", class: "link", onclick: () => on.select(f.index) }, nameElement(f.name)),
      element("span", { class: "place" }, placeOf(f)),
      flags & FLAG.EXCEEDED ? element("abbr", { title: MARKS.exceeded }, "!") : null,
      flags & FLAG.EXACT ? null : element("abbr", { title: MARKS.inexact }, "?"));
  }

  function rows() {
    const column = columns.find((c) => c.key === state.sort) || columns[0], sign = state.ascending ? 1 : -1;
    const list = page.functions.filter((f) => isListed(f) && (!state.matches || state.matches.matched[f.index]));
    const known = (v) => v !== null && v !== undefined && !Number.isNaN(v);
    return list.map((f) => [column.value.call(column, f), f]).sort(([a, f], [b, g]) => {
      if (known(a) !== known(b)) return known(a) ? -1 : 1;
      const order = typeof a === "string" ? a.localeCompare(b) : a - b;
      return order * sign || f.index - g.index;
    }).map(([, f]) => f);
  }

  function header() {
    const sorted = columns.find((c) => c.key === state.sort) || columns[0];
    return element("tr", null, columns.map((column, k) =>
      element("th", { scope: "col", colspan: spans[k] > 1 ? spans[k] : null, class: column.text ? "text" : null,
        "aria-sort": column === sorted ? (state.ascending ? "ascending" : "descending") : null },
        element("button", { type: "button", title: column.hint, "data-sort": column.key, onclick: () => on.sort(column.key) }, column.title,
          element("span", { "aria-hidden": "true" }, column === sorted ? (state.ascending ? " ▴" : " ▾") : "")))));
  }

  function update() {
    const list = rows(), part = list.slice(0, shown);
    table.replaceChildren(element("caption", { class: "hidden" }, "Functions: times, calls, and how certain they are"),
      element("thead", null, header()),
      element("tbody", null, part.map((f) =>
        element("tr", { class: f.index === state.func ? "current" : null, "data-function": f.index },
          columns.map((column) => column.cells(f))))));
    more.hidden = list.length <= shown;
    more.textContent = `Show ${formatCount(Math.min(1000, list.length - shown))} more of ${formatCount(list.length)}`;
  }

  more.addEventListener("click", () => {
    shown += 1000;
    update();
  });
  return { update, columns, all(on) {
    const before = shown;
    if (on) shown = Math.max(shown, 200);
    update();
    shown = before;
  } };
}

function createThreads(page) {
  const profiles = page.profiles.filter(Boolean), profile = page.profiles[AFTER];
  const total = profiles.reduce((sum, p) => sum + p.thread_count, 0);
  const section = byId("threads-section");
  section.hidden = total < 2 || page.compared;
  if (section.hidden) return;
  const longest = Math.max(1, ...profile.threads.map((t) => t.compensated || 0));
  const title = (text, hint) => element("th", { scope: "col", title: hint }, text);
  const row = (t) => {
    const process = profile.processes.find((p) => p.pid === t.pid), computing = t.compensated - (t.waiting || 0) - (t.ready || 0);
    return element("tr", null,
      element("th", { scope: "row", class: "function" }, nameElement(t.name || "thread"),
        element("span", { class: "place" }, `${t.rank === null ? "process " + t.pid : "rank " + t.rank}, thread ${t.tid}` +
          (t.live ? ", running" : "") + (t.killed ? ", killed" : "")),
        profile.processes.length > 1 && process && t.main ? element("span", { class: "place" }, nameElement(process.command || "")) : null,
        t.creator ? element("details", null, element("summary", null, "created by"), nameElement(t.creator)) : null),
      element("td", { class: "bar" }, threadBar(t, computing, longest)),
      numberCell(formatTime(t.compensated)), numberCell(t.uncertainty > 0 ? "± " + formatUncertainty(t.uncertainty) : "", " half"),
      numberCell(t.waiting === null ? "-" : formatTime(computing)), numberCell(t.waiting === null ? "-" : formatTime(t.waiting + (t.ready || 0))),
      numberCell(formatTime(t.raw)), numberCell(formatCount(t.calls)));
  };
  byId("threads").replaceChildren(
    element("thead", null, element("tr", null, element("th", { scope: "col", class: "text" }, "thread"), element("th", { scope: "col" }, "time"),
      element("th", { scope: "col", colspan: 2, title: "without the measurement, ± 95 %" }, "compensated"),
      title("computing", "on a processor"), title("off processor", "blocked or preempted"), title("measured", "as the clock said"),
      title("calls", "number of calls"))),
    element("tbody", null, profile.threads.map(row)));
  if (profile.thread_count > profile.threads.length)
    section.append(element("p", { class: "note" }, `The first ${profile.threads.length} of ${formatCount(profile.thread_count)} threads.`));
}

function threadBar(t, computing, longest) {
  const at = (x) => (100 * Math.max(0, x)) / longest;
  return svgElement("svg", { class: "interval", viewBox: "0 0 100 12", preserveAspectRatio: "none", "aria-hidden": "true" },
    svgElement("rect", { class: "track", x: 0, y: 0, width: 100, height: 12 }),
    svgElement("rect", { class: "computing", x: 0, y: 0, width: at(computing), height: 12 }),
    svgElement("rect", { class: "waiting", x: at(computing), y: 0, width: at(t.compensated - computing), height: 12 }));
}
