/* --- The timeline: the executions on one time axis, one above the other --------------------------------------------- */

const SLICE = { FUNCTION: 0, OPERATION: 1, RECORDER: 2 };
const TRACK_GAP = 4, PANEL_TITLE = 22, AXIS = 20, NAMES_MAX = 150;

function decodeTimeline(json) {
  if (!json) return null;
  const column = (name, count) => decodeColumn(json[name], count);
  const [location, depth, name, kind, begin, length] = ["location", "depth", "name", "kind", "begin", "length"].map((key) => column(key, json.count));
  const locations = json.locations.map((about) => ({ ...about, first: 0, end: 0, depth: 1 }));
  for (let i = 0; i < json.count; i++) {
    const same = i > 0 && location[i] === 0;
    location[i] += i ? location[i - 1] : 0;
    if (same) begin[i] += begin[i - 1];
    const at = locations[location[i]];
    if (at.end === 0) at.first = i;
    at.end = i + 1;
    at.depth = Math.max(at.depth, depth[i] + 1);
  }
  const links = { from: column("from", json.links), to: column("to", json.links), begin: column("sent", json.links),
    length: column("took", json.links), kind: json.kinds };
  return { ...json, locations, location, depth, name, kind, begin, length, arrows: links };
}

/* Rows of the picture: a panel for each execution, a lane for each location, as deep as there is room. */
function layoutTimeline(line) {
  const executions = [];
  for (const [index, at] of line.locations.entries()) {
    if (!executions[at.execution]) executions[at.execution] = { title: at.title, lanes: [] };
    executions[at.execution].lanes.push({ index, ...at });
  }
  const shown = executions.filter(Boolean), most = Math.max(...shown.map((e) => e.lanes.length));
  const rows = Math.max(1, Math.min(6, Math.floor(24 / most))), row = rows > 1 ? 14 : most > 40 ? 7 : 16;
  let y = AXIS;
  for (const execution of shown) {
    execution.y = y;
    y += PANEL_TITLE;
    for (const lane of execution.lanes) {
      lane.y = y;
      lane.rows = Math.min(rows, lane.depth);
      lane.height = lane.rows * row;
      y += lane.height + (row > 7 ? TRACK_GAP : 1);
    }
    y += 8;
  }
  return { executions: shown, row, height: y };
}

function timelineTable(line, layout) {
  const byPlace = new Map();
  layout.executions.forEach((execution, e) => execution.lanes.forEach((lane) => {
    const key = lane.in.slice(lane.title.length) + "\n" + lane.name;
    if (!byPlace.has(key)) byPlace.set(key, { lane, cells: [] });
    byPlace.get(key).cells[e] = lane;
  }));
  const titles = layout.executions.map((e) => e.title);
  const head = [element("th", { class: "text", scope: "col" }, "location"),
    titles.flatMap((title) => [element("th", { scope: "col" }, title + ": ends"), element("th", { scope: "col" }, "waits")])];
  const rows = [...byPlace.values()].map(({ lane, cells }) => element("tr", null,
    element("th", { class: "text", scope: "row" }, element("bdi", null, lane.name)),
    titles.map((_, e) => (cells[e] ? [numberCell(formatTime(cells[e].last)), numberCell(cells[e].waiting > 0 ? formatTime(cells[e].waiting) : "")]
      : [numberCell("-"), numberCell("")]))));
  return [element("thead", null, element("tr", null, head)), element("tbody", null, rows)];
}

function timelineNote(line) {
  const texts = [];
  if (line.count < line.all)
    texts.push(`Drawn are the ${formatCount(line.count)} longest of ${formatCount(line.all)} slices, those of ${formatTime(line.least)} and more`);
  if (line.links < line.all_links) texts.push(`${formatCount(line.links)} of ${formatCount(line.all_links)} arrows`);
  return texts.length ? texts.join(", and ") + "; pcomp export --format perfetto has all of them." : "";
}

/* A step of 1, 2 or 5 of a power of ten, ns, so that `most` fit into the span. */
function axisStep(span, most) {
  const least = span / Math.max(1, most), power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least);
}

/* state: {timeFrom, timeTo, matches}. on: {select(function), timeline(from, to)}. */
function createTimeline(page, state, on) {
  const line = page.timeline, canvas = byId("timeline"), holder = byId("timeline-holder"), context = canvas.getContext("2d");
  byId("timeline-section").hidden = !line;
  if (!line) return { update() {}, recolour() {}, keys: {} };
  const layout = layoutTimeline(line), span = Math.max(line.span, 1), functionOf = new Map(page.functions.map((f) => [f.name, f]));
  const least = 20; /* ns that can fill the picture */
  let colours, hatch, request = 0, hovered = -1, names = NAMES_MAX;
  const view = { from: 0, to: span };

  replaceContent(byId("timeline-table"), timelineTable(line, layout));
  byId("timeline-note").textContent = timelineNote(line);
  byId("timeline-note").hidden = !byId("timeline-note").textContent;
  legend(byId("timeline-legend"), [["computing", "functions"], ["waiting", "operations in which a location may wait"],
    ["removed", "the recorder's own work, or a pause"], ["arrow", "from what was waited for to what could go on"]]);
  canvas.setAttribute("aria-label", `Timeline of ${layout.executions.map((e) => e.title).join(" above ")}, ${formatTime(span)}; ` +
    "the table below has the waiting times as text");

  const inner = () => Math.max(50, holder.clientWidth - names);
  const xOf = (ns) => names + ((ns - view.from) / (view.to - view.from)) * inner();

  function drawAxis(height) {
    const step = axisStep(view.to - view.from, inner() / 110);
    context.fillStyle = colours.removed;
    context.strokeStyle = colours.narrow;
    context.lineWidth = 1;
    for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
      const x = Math.round(xOf(at)) + 0.5;
      context.beginPath();
      context.moveTo(x, AXIS - 4);
      context.lineTo(x, height);
      context.stroke();
      const digits = Math.max(1, Math.min(9, Math.ceil(Math.log10(Math.max(view.to, 1) / step)) + 1));
      context.fillText(at === 0 ? "0" : formatTime(at, digits), x + 3, AXIS / 2);
    }
  }

  function fillOf(i) {
    const shade = (line.name[i] * 2654435761 >>> 28) % SHADES;
    return line.kind[i] === SLICE.OPERATION ? colours.waiting[shade] : line.kind[i] === SLICE.RECORDER ? hatch : colours.computing[shade];
  }

  function isDimmed(i) {
    if (!state.matches) return false;
    const f = functionOf.get(line.names[line.name[i]]);
    return !(f && state.matches.matched[f.index]);
  }

  /* Not where deeper slices are drawn on it. */
  function hasLabel(i, lane) {
    const covered = line.depth[i] >= lane.rows - 1 && i + 1 < lane.end && line.begin[i + 1] < line.begin[i] + line.length[i];
    return line.kind[i] !== SLICE.RECORDER && !covered;
  }

  /* In the last row of a lane, deeper slices lie on top of those around them; what is too narrow to be seen is drawn once. */
  function drawLane(lane, right) {
    const reach = new Float64Array(lane.rows).fill(-1);
    for (let i = lane.first; i < lane.end; i++) {
      const from = Math.max(xOf(line.begin[i]), names), to = Math.min(xOf(line.begin[i] + line.length[i]), right);
      if (to < names || from > right) continue;
      const row = Math.min(line.depth[i], lane.rows - 1), w = Math.max(to - from, 0.7);
      if (from + w <= reach[row]) {
        if (w < 1) continue;
      } else reach[row] = from + w;
      const y = lane.y + row * layout.row, h = Math.max(1, layout.row - 1);
      context.globalAlpha = isDimmed(i) ? 0.22 : 1;
      context.fillStyle = fillOf(i);
      context.fillRect(from, y, w > 3 ? w - 0.7 : w, h);
      if (i === hovered) {
        context.strokeStyle = colours.selected;
        context.lineWidth = 1.5;
        context.strokeRect(from + 0.7, y + 0.7, Math.max(w - 1.4, 1), h - 1.4);
      }
      context.globalAlpha = 1;
      if (w > 30 && layout.row > 9 && hasLabel(i, lane)) drawLabel(line.names[line.name[i]], from, y, w, h);
    }
  }

  function drawLabel(name, x, y, w, h) {
    let label = shortName(name);
    const width = context.measureText(label).width;
    if (width > w - 6) label = label.slice(0, Math.floor((label.length * (w - 6)) / width) - 1) + "…";
    if (label.length < 3) return;
    context.fillStyle = colours.text;
    context.fillText(label, x + 3, y + h / 2 + 0.5);
  }

  function drawName(lane) {
    const name = lane.name;
    context.fillStyle = colours.ink;
    context.textAlign = "right";
    let label = name;
    while (label.length > 3 && context.measureText(label).width > names - 10) label = label.slice(0, -2);
    context.fillText(label === name ? name : label + "…", names - 6, lane.y + Math.min(lane.height, layout.row) / 2);
    context.textAlign = "left";
  }

  function drawArrows() {
    const arrows = line.arrows, visible = [];
    for (let i = 0; i < line.links; i++)
      if (arrows.begin[i] <= view.to && arrows.begin[i] + arrows.length[i] >= view.from) visible.push(i);
    context.strokeStyle = context.fillStyle = colours.arrow;
    const many = visible.length > 300;
    context.lineWidth = many ? 0.6 : 1;
    context.globalAlpha = many ? 0.3 : 0.85;
    const laneOf = new Map(layout.executions.flatMap((e) => e.lanes.map((lane) => [lane.index, lane])));
    for (const i of visible) {
      const from = laneOf.get(arrows.from[i]), to = laneOf.get(arrows.to[i]), down = to.y > from.y;
      const x0 = xOf(arrows.begin[i]), x1 = xOf(arrows.begin[i] + arrows.length[i]);
      const y0 = down ? from.y + from.height : from.y, y1 = to === from ? from.y + from.height : down ? to.y : to.y + to.height;
      context.beginPath();
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
      context.stroke();
      if (many) continue;
      const angle = Math.atan2(y1 - y0, x1 - x0);
      context.beginPath();
      context.moveTo(x1, y1);
      for (const turn of [-0.4, 0.4]) context.lineTo(x1 - 6 * Math.cos(angle + turn), y1 - 6 * Math.sin(angle + turn));
      context.fill();
    }
    context.globalAlpha = 1;
  }

  function draw() {
    request = 0;
    const width = holder.clientWidth, height = layout.height;
    if (!width) return;
    clearCanvas(canvas, context, width, height, colours.background);
    context.textBaseline = "middle";
    context.font = "11px system-ui, -apple-system, 'Segoe UI', sans-serif";
    names = Math.min(NAMES_MAX, width / 4, 16 + Math.max(...layout.executions.flatMap((e) => e.lanes.map((lane) => context.measureText(lane.name).width))));
    drawAxis(height);
    for (const execution of layout.executions) {
      context.fillStyle = colours.ink;
      context.font = "600 12px system-ui, -apple-system, 'Segoe UI', sans-serif";
      context.fillText(execution.title, 2, execution.y + PANEL_TITLE / 2);
      context.font = "11px system-ui, -apple-system, 'Segoe UI', sans-serif";
      let named = -Infinity; /* of narrow lanes as many have names as there is room for */
      for (const lane of execution.lanes) {
        if (lane.y - named >= 13) {
          drawName(lane);
          named = lane.y;
        }
        drawLane(lane, width);
      }
    }
    context.save();
    context.beginPath();
    context.rect(names, AXIS, width - names, height);
    context.clip();
    drawArrows();
    context.restore();
  }

  function schedule() {
    if (!request) request = requestAnimationFrame(draw);
  }

  /* --- Movement --- */

  function setRange(from, to, step) {
    const size = Math.min(span, Math.max(least, to - from));
    view.from = Math.max(0, Math.min(span - size, from));
    view.to = view.from + size;
    byId("timeline-reset").hidden = view.from <= 0 && view.to >= span;
    if (step !== false) on.timeline(Math.round(view.from), Math.round(view.to), view.from <= 0 && view.to >= span);
    schedule();
  }

  function zoomAt(at, by) {
    setRange(at - (at - view.from) * by, at + (view.to - at) * by);
  }

  function moveBy(part) {
    const shift = (view.to - view.from) * part;
    setRange(view.from + shift, view.to + shift);
  }

  const keys = { "+": () => zoomAt((view.from + view.to) / 2, 0.6), "-": () => zoomAt((view.from + view.to) / 2, 1 / 0.6),
    ArrowLeft: () => moveBy(-0.2), ArrowRight: () => moveBy(0.2), Home: () => setRange(0, span) };

  /* --- Mouse --- */

  function sliceAt(event) {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    if (x < names) return -1;
    const lane = layout.executions.flatMap((e) => e.lanes).find((l) => y >= l.y && y < l.y + l.height);
    if (!lane) return -1;
    const row = Math.floor((y - lane.y) / layout.row), perPixel = (view.to - view.from) / inner(), at = view.from + (x - names) * perPixel;
    let best = -1;
    for (let i = lane.first; i < lane.end; i++)
      if (Math.min(line.depth[i], lane.rows - 1) === row && line.begin[i] <= at + perPixel && line.begin[i] + line.length[i] >= at - perPixel) best = i;
    return best;
  }

  function describeSlice(i) {
    const at = line.locations[line.location[i]];
    return [element("strong", null, element("bdi", null, line.names[line.name[i]])), element("br"),
      `${formatTime(line.length[i])}, from ${formatTime(line.begin[i], 7)} on, in `, element("bdi", null, at.name), ` (${at.title})`];
  }

  let drag = null, dragged = false;
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, from: view.from, to: view.to };
    dragged = false;
  });
  addEventListener("pointerup", () => (drag = null));
  canvas.addEventListener("pointermove", (event) => {
    if (drag && Math.abs(event.clientX - drag.x) > 3) {
      const shift = ((drag.x - event.clientX) / inner()) * (drag.to - drag.from);
      dragged = true;
      setRange(drag.from + shift, drag.to + shift);
      return on.tip(null, null);
    }
    const slice = sliceAt(event);
    if (slice !== hovered) schedule();
    hovered = slice;
    on.tip(slice >= 0 ? describeSlice(slice) : null, event);
  });
  canvas.addEventListener("pointerleave", () => {
    hovered = -1;
    on.tip(null, null);
    schedule();
  });
  canvas.addEventListener("click", (event) => {
    const i = dragged ? -1 : sliceAt(event), f = i >= 0 && functionOf.get(line.names[line.name[i]]);
    if (f) on.select(f.index);
  });
  canvas.addEventListener("dblclick", (event) => {
    const i = sliceAt(event);
    if (i >= 0) setRange(line.begin[i] - line.length[i] * 0.05, line.begin[i] + line.length[i] * 1.05);
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomAt(view.from + ((event.offsetX - names) / inner()) * (view.to - view.from), Math.exp(event.deltaY / 200));
  }, { passive: false });
  byId("timeline-reset").addEventListener("click", () => setRange(0, span));
  new ResizeObserver(schedule).observe(holder);

  function recolour(now) {
    colours = readColours();
    hatch = hatchPattern(context, colours.removed, 6);
    if (now === true) draw();
    else schedule();
  }

  function update() {
    const from = state.timeFrom >= 0 ? state.timeFrom : 0, to = state.timeTo > from ? state.timeTo : span;
    if (Math.round(view.from) !== from || Math.round(view.to) !== Math.round(to)) setRange(from, to, false);
    schedule();
  }

  recolour();
  update();
  return { update, recolour, keys };
}
