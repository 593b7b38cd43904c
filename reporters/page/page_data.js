/* --- The data of the page (page_json.c) ----------------------------------------------------------------------------- */

const FLAG = { RESOLVED: 1, EXACT: 2, COUNTED: 4, SUM: 8, EXCEEDED: 16, IN_PLACE: 32 }; /* IN_PLACE: some calls are on no call path */
const NODE = { UNKNOWN: 1, OPEN: 2 };
const LEFT_OUT = -1; /* function of a node that is the sum of call paths that were left out */
const BEFORE = 0, AFTER = 1; /* sides: raw and compensated of one profile; else the first and the second profile */

/* Base64 VLQ (page_columns.h). */
function decodeColumn(text, count) {
  const values = new Float64Array(count);
  if (!text) return values;
  const digits = new Uint8Array(128);
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".split("").forEach((c, i) => (digits[c.charCodeAt(0)] = i));
  for (let i = 0, at = 0; i < count; i++) {
    let value = 0, scale = 1, digit;
    do {
      digit = digits[text.charCodeAt(at++)];
      value += (digit & 31) * scale;
      scale *= 32;
    } while (digit & 32);
    values[i] = value % 2 ? -(value - 1) / 2 : value / 2;
  }
  return values;
}

/* Call paths in depth-first order: parents stand before their children. */
function decodeNodes(json) {
  const count = json.count, unit = json.unit;
  const column = (name) => decodeColumn(json[name], count);
  const up = column("up");
  const nodes = {
    count,
    function: Int32Array.from(column("function"), (f) => f - 1),
    depth: new Int32Array(count),
    parent: new Int32Array(count).fill(-1),
    first: new Int32Array(count).fill(-1),
    next: new Int32Array(count).fill(-1),
    end: new Int32Array(count), /* behind the last node below */
    flags: column("flags"),
    calls: [column("calls0"), column("calls")],
    own: [column("exclusive0"), column("exclusive1")],
    waiting: [column("waiting0"), column("waiting1")], /* inclusive */
    uncertainty: ["uncertainty0", "uncertainty1"].map((name) =>
      column(name).map((code) => (code > 0 ? 2 ** ((code - 1) / 16) : 0))),
    inclusive: [column("rest0"), column("rest1")],
  };
  const path = [], last = [];
  for (let i = 0; i < count; i++) {
    const depth = i ? nodes.depth[i - 1] + 1 - up[i] : 0;
    nodes.depth[i] = depth;
    if (depth) {
      const parent = (nodes.parent[i] = path[depth - 1]);
      if (nodes.first[parent] < 0) nodes.first[parent] = i;
      else nodes.next[last[depth]] = i;
    }
    path[depth] = last[depth] = i;
  }
  for (let i = count - 1; i >= 0; i--) {
    const parent = nodes.parent[i];
    nodes.end[i] = Math.max(nodes.end[i], i + 1);
    nodes.own[BEFORE][i] += nodes.own[AFTER][i];
    for (const side of [BEFORE, AFTER]) {
      nodes.inclusive[side][i] += nodes.own[side][i];
      if (parent >= 0) {
        nodes.inclusive[side][parent] += nodes.inclusive[side][i];
        nodes.waiting[side][parent] += nodes.waiting[side][i];
      }
    }
    if (parent >= 0) nodes.end[parent] = Math.max(nodes.end[parent], nodes.end[i]);
  }
  for (const times of [...nodes.own, ...nodes.waiting, ...nodes.inclusive])
    for (let i = 0; i < count; i++) times[i] *= unit;
  return nodes;
}

function decodeSide(row) {
  if (!row) return null;
  const [calls, callsUncertainty, flags, level, own, ownUncertainty, ownWaiting, ownReady, all, allUncertainty, allWaiting,
    allReady, rawOwn, rawAll, longest, open, half, most] = row;
  return {
    calls, callsUncertainty, flags, level, own, ownUncertainty, all, allUncertainty, rawOwn, rawAll, longest, open, half, most,
    waiting: isKnown(own) ? ownWaiting + ownReady : null,
    computing: isKnown(own) ? own - ownWaiting - ownReady : null,
    allWaiting: isKnown(all) ? allWaiting + allReady : null,
  };
}

function decodeFunctions(json) {
  return json.functions.map(([name, file, line, module, after, before], index) => ({
    index, name, line, module,
    file: file === null ? null : json.files[file],
    short: shortName(name),
    sides: [decodeSide(before), decodeSide(after)],
  }));
}

function loadPage() {
  const json = JSON.parse(byId("data").textContent);
  const compared = json.before !== null;
  return {
    compared,
    version: json.version,
    profiles: [json.before, json.after],
    functions: decodeFunctions(json),
    nodes: decodeNodes(json.nodes),
    pruned: json.pruned,
    sources: json.sources || null,
    timeline: decodeTimeline(json.timeline),
    sideNames: compared ? ["before", "after"] : ["raw", "compensated"],
  };
}

function nameOf(page, node) {
  if (node === 0) return page.profiles[AFTER].thread_count > 1 ? "all threads" : "program";
  const f = page.nodes.function[node];
  return f === LEFT_OUT ? `[${formatCount(page.nodes.calls[AFTER][node])} smaller paths]` : page.functions[f].name;
}

function placeOf(f) {
  if (f.file) return baseName(f.file) + (f.line ? ":" + f.line : "");
  return f.module || "";
}

/* Whether the calls on call paths are all calls of the function. */
function hasPathCalls(page, f) {
  const times = f >= 0 && (page.functions[f].sides[AFTER] || page.functions[f].sides[BEFORE]);
  return Boolean(times) && !(times.flags & FLAG.IN_PLACE);
}

/* --- Questions about the call paths --------------------------------------------------------------------------------- */

/* Callers or callees of a function. Calls count all; times count only calls of a callee that was not active already. */
function edgesOf(page, f, ofCallers) {
  const nodes = page.nodes, active = new Int32Array(page.functions.length + 1), edges = new Map(), open = [];
  for (let i = 1; i < nodes.count; i++) {
    while (open.length && nodes.end[open[open.length - 1]] <= i) active[nodes.function[open.pop()] + 1]--;
    const parent = nodes.parent[i], callee = nodes.function[i], caller = parent ? nodes.function[parent] : null;
    if (ofCallers ? callee === f : caller === f) {
      const other = ofCallers ? caller : callee;
      let edge = edges.get(other);
      if (!edge) edges.set(other, (edge = { other, node: i, calls: 0, times: [0, 0], uncertainty: 0, recursive: true }));
      if (hasPathCalls(page, callee)) edge.calls += nodes.calls[AFTER][i];
      if (!active[callee + 1]) {
        edge.recursive = false;
        edge.times[BEFORE] += nodes.inclusive[BEFORE][i];
        edge.times[AFTER] += nodes.inclusive[AFTER][i];
        edge.uncertainty += nodes.uncertainty[AFTER][i];
      }
    }
    if (nodes.first[i] >= 0) {
      active[callee + 1]++;
      open.push(i);
    }
  }
  return [...edges.values()].sort((a, b) => b.times[AFTER] - a.times[AFTER] || b.calls - a.calls);
}

/* The call path of the function that takes most. */
function greatestNode(page, f, side) {
  const nodes = page.nodes;
  let best = -1;
  for (let i = 1; i < nodes.count; i++)
    if (nodes.function[i] === f && (best < 0 || nodes.inclusive[side][i] > nodes.inclusive[side][best])) best = i;
  return best;
}

/* Functions whose name has the text; "/TEXT/" is a regular expression. null: the text is none. */
function matchFunctions(page, query) {
  const matched = new Uint8Array(page.functions.length);
  const pattern = /^\/(.+)\/?$/.exec(query);
  let test;
  if (pattern) {
    try {
      const expression = new RegExp(pattern[1].replace(/\/$/, ""), "i");
      test = (name) => expression.test(name);
    } catch {
      return null;
    }
  } else {
    const text = query.toLowerCase();
    test = (name) => name.toLowerCase().includes(text);
  }
  let count = 0;
  for (const f of page.functions) if (test(f.name)) count += matched[f.index] = 1;
  return { matched, count };
}

/* Inclusive time of the outermost call paths that match, as a share of all. */
function matchedShare(page, matched, side) {
  const nodes = page.nodes;
  let sum = 0;
  for (let i = 1; i < nodes.count; ) {
    const f = nodes.function[i];
    if (f !== LEFT_OUT && matched[f]) {
      sum += nodes.inclusive[side][i];
      i = nodes.end[i];
    } else i++;
  }
  return nodes.inclusive[side][0] > 0 ? sum / nodes.inclusive[side][0] : 0;
}

/* Of a comparison: the change of a function's or node's own time, and whether it is above its uncertainty. */
function changeOf(before, after, beforeUncertainty, afterUncertainty) {
  const delta = (after || 0) - (before || 0), uncertainty = Math.hypot(beforeUncertainty || 0, afterUncertainty || 0);
  return { delta, uncertainty, significant: delta !== 0 && Math.abs(delta) > uncertainty };
}

function functionChange(f) {
  const [before, after] = f.sides;
  return changeOf(before && before.own, after && after.own, before && before.ownUncertainty, after && after.ownUncertainty);
}

function nodeChange(page, i) {
  const nodes = page.nodes;
  return changeOf(nodes.own[BEFORE][i], nodes.own[AFTER][i], nodes.uncertainty[BEFORE][i], nodes.uncertainty[AFTER][i]);
}
