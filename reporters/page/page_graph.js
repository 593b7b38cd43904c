/* --- The graph: call paths as an icicle on a canvas ----------------------------------------------------------------- */

const SHADES = 4;

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue("--" + name).trim();
  const shades = (name) => Array.from({ length: SHADES }, (_, i) => get(`${name}-${i}`));
  return {
    computing: shades("computing"), waiting: shades("waiting"), plain: shades("plain"),
    grown: get("grown"), shrunk: get("shrunk"), text: get("frame-text"), background: get("panel"), hatch: get("hatch"),
    narrow: get("narrow"), selected: get("selected"), match: get("match"), removed: get("removed"), arrow: get("arrow"), ink: get("text"),
  };
}

function hatchPattern(context, colour, distance) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = distance;
  const c = tile.getContext("2d");
  c.strokeStyle = colour;
  c.lineWidth = 1.2;
  for (const shift of [-distance, 0, distance]) {
    c.moveTo(shift - 1, distance + 1);
    c.lineTo(shift + distance + 1, -1);
  }
  c.stroke();
  return context.createPattern(tile, "repeat");
}

/* state: what is shown (page_main.js). on: {zoom(node), selectNode(node), hover(node, event)}. */
function createGraph(page, state, on) {
  const nodes = page.nodes, canvas = byId("canvas"), holder = byId("graph"), context = canvas.getContext("2d");
  const widths = new Map(); /* of labels, pixels */
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let colours, hatch, removedHatch, drawn = { frames: [], depth: 0 }, frameRequest = 0, animation = null, printing = false;
  const view = { root: 0, from: 0, to: 1, mix: AFTER, oneScale: false };

  function measure(text) {
    let width = widths.get(text);
    if (width === undefined) widths.set(text, (width = context.measureText(text).width));
    return width;
  }

  function fitLabel(i, room) {
    const name = nameOf(page, i);
    if (name.length < 200 && measure(name) <= room) return name;
    const f = nodes.function[i], short = i && f >= 0 ? page.functions[f].short : name;
    if (measure(short) <= room) return short;
    const own = ownName(short), width = measure(own);
    if (width <= room) return own;
    let keep = Math.floor((own.length * room) / width) - 1;
    while (keep >= 2 && context.measureText(own.slice(0, keep) + "…").width > room) keep--;
    return keep >= 2 ? own.slice(0, keep) + "…" : "";
  }

  function isUnresolved(i) {
    return view.mix > 0.5 && (nodes.flags[i] & NODE.UNKNOWN ||
      (!page.compared && isBelow(nodes.inclusive[AFTER][i], nodes.uncertainty[AFTER][i])));
  }

  function fillComparison(i, x, y, w, h) {
    const change = nodeChange(page, i);
    context.fillStyle = colours.plain[shadeOf(i)];
    context.fillRect(x, y, w, h);
    if (!change.significant) return;
    const whole = Math.max(nodes.inclusive[BEFORE][0], nodes.inclusive[AFTER][0], 1);
    context.globalAlpha *= Math.min(1, 0.45 + 5 * Math.abs(change.delta) / whole);
    context.fillStyle = change.delta > 0 ? colours.grown : colours.shrunk;
    context.fillRect(x, y, w, h);
  }

  function shadeOf(i) {
    const f = nodes.function[i];
    return f < 0 ? 0 : (f * 2654435761 >>> 28) % SHADES;
  }

  function fillTimes(i, x, y, w, h) {
    const whole = Math.max(widthValue(nodes, i, view.mix), 1e-9);
    const blocked = nodes.waiting[BEFORE][i] * (1 - view.mix) + nodes.waiting[AFTER][i] * view.mix;
    const part = Math.max(0, Math.min(1, blocked / whole));
    context.fillStyle = colours.computing[shadeOf(i)];
    context.fillRect(x, y, w * (1 - part), h);
    context.fillStyle = colours.waiting[shadeOf(i)];
    context.fillRect(x + w * (1 - part), y, w * part, h);
  }

  function drawFrame(frame, top) {
    const i = frame.node, y = frame.depth * ROW - top, h = ROW - 1;
    const w = Math.max(frame.width - (frame.width > 3 ? 1 : 0), 0.5), x = frame.x;
    if (i < 0 || nodes.function[i] === LEFT_OUT) {
      context.fillStyle = colours.narrow;
      context.fillRect(x, y, w, h);
      if (i < 0) return;
    } else {
      const dim = state.matches && !(i && state.matches.matched[nodes.function[i]]);
      context.globalAlpha = dim ? 0.22 : isBelowNode(nodes, i, view.root) ? 1 : 0.55;
      if (page.compared) fillComparison(i, x, y, w, h);
      else fillTimes(i, x, y, w, h);
      context.globalAlpha = 1;
      if (isUnresolved(i)) {
        context.fillStyle = hatch;
        context.fillRect(x, y, w, h);
      }
      if (frame.exceeded) {
        context.fillStyle = colours.grown;
        context.fillRect(x, y + h - 2, w, 2);
      }
    }
    drawLabel(i, x, y, w, h);
    drawOutline(i, x, y, w, h);
  }

  function drawLabel(i, x, y, w, h) {
    if (w < 24) return;
    context.fillStyle = colours.text;
    const label = fitLabel(i, w - 9);
    if (label) context.fillText(label, x + 5, y + h / 2 + 0.5);
  }

  function drawOutline(i, x, y, w, h) {
    const focused = i === state.node, same = state.func >= 0 && nodes.function[i] === state.func;
    if (!focused && !same) return;
    context.strokeStyle = colours.selected;
    context.lineWidth = focused ? 2.5 : 1;
    context.strokeRect(x + 1, y + 1, Math.max(w - 2, 1), h - 2);
  }

  /* With one scale for both sides: the room that the measurement took, beside what is estimated. */
  function drawRemoved(top, width, height) {
    if (!view.oneScale || page.compared) return;
    const frame = drawn.frames.find((f) => f.node === view.root);
    if (!frame || frame.x + frame.width > width - 3) return;
    const x = frame.x + frame.width, y = frame.depth * ROW - top;
    context.fillStyle = removedHatch;
    context.fillRect(x, y, width - x, ROW - 1);
    const text = "measurement: " + formatTime(nodes.inclusive[BEFORE][view.root] - nodes.inclusive[AFTER][view.root]);
    if (measure(text) < width - x - 12 && view.mix > 0.9) {
      context.fillStyle = colours.removed;
      context.fillText(text, x + 8, y + (ROW - 1) / 2 + 0.5);
    }
    void height;
  }

  function draw() {
    frameRequest = 0;
    stepAnimation(performance.now());
    const width = holder.clientWidth;
    drawn = layoutFrames(nodes, view, width);
    const whole = (drawn.depth + 1) * ROW, height = printing ? whole : Math.min(whole, holder.clientHeight || whole);
    byId("spacer").style.height = Math.max(0, whole - height) + "px";
    const top = printing ? 0 : Math.min(holder.scrollTop, Math.max(0, whole - height));
    clearCanvas(canvas, context, width, height, colours.background);
    context.font = "12px system-ui, -apple-system, 'Segoe UI', sans-serif";
    context.textBaseline = "middle";
    for (const frame of drawn.frames) {
      const y = frame.depth * ROW - top;
      if (y + ROW >= 0 && y <= height) drawFrame(frame, top);
    }
    drawRemoved(top, width, height);
    if (animation) schedule();
  }

  function schedule() {
    if (!frameRequest) frameRequest = requestAnimationFrame(draw);
  }

  /* --- Movement --- */

  function stepAnimation(now) {
    if (!animation) return;
    const t = Math.min(1, (now - animation.start) / animation.length), s = t * t * (3 - 2 * t);
    for (const key of ["from", "to", "mix"]) view[key] = animation.first[key] + (animation.last[key] - animation.first[key]) * s;
    if (t < 1) return;
    Object.assign(view, animation.final);
    animation = null;
  }

  function move(first, last, final) {
    Object.assign(view, first);
    animation = { start: performance.now(), length: still.matches || document.hidden ? 0 : 260, first: { ...view },
      last: { ...view, ...last }, final };
    schedule();
  }

  function rangeInView(node, root) {
    const range = rangeBelow(nodes, node, root, view.mix);
    if (!view.oneScale) return range;
    const fill = (i) => widthValue(nodes, i, view.mix) / Math.max(widthValue(nodes, i, 0), widthValue(nodes, i, 1), 1e-9);
    const from = range.from * fill(root), size = (range.to - range.from) * fill(root);
    return { from, to: from + size / Math.max(fill(node), 1e-9) };
  }

  function zoomTo(node) {
    if (animation) Object.assign(view, animation.final);
    animation = null;
    const old = view.root, whole = { root: node, from: 0, to: 1 };
    if (node === old) move({}, { from: 0, to: 1 }, whole);
    else if (isBelowNode(nodes, node, old)) move({}, rangeInView(node, old), whole);
    else if (isBelowNode(nodes, old, node)) move({ root: node, ...rangeInView(old, node) }, { from: 0, to: 1 }, whole);
    else move(whole, {}, whole);
    holder.scrollTop = Math.max(0, (nodes.depth[node] - 3) * ROW);
  }

  function update() { /* after a change of the state */
    const target = { mix: state.side === AFTER ? 1 : 0 };
    view.oneScale = state.oneScale;
    if (state.zoom !== (animation ? animation.final.root ?? view.root : view.root)) zoomTo(state.zoom);
    if (view.mix !== target.mix && !(animation && animation.last.mix === target.mix)) {
      const final = { ...(animation ? animation.final : {}), ...target };
      move(animation ? { ...animation.final, mix: view.mix } : {}, target, final);
    }
    schedule();
  }

  function reveal(node) {
    const y = nodes.depth[node] * ROW;
    if (y < holder.scrollTop) holder.scrollTop = y;
    else if (y + ROW > holder.scrollTop + holder.clientHeight) holder.scrollTop = y + ROW - holder.clientHeight;
  }

  /* --- Mouse --- */

  function nodeAt(event) {
    const box = canvas.getBoundingClientRect();
    const frame = frameAt(drawn.frames, event.clientX - box.left, Math.floor((event.clientY - box.top + topOf()) / ROW));
    return frame ? frame.node : -1;
  }

  function topOf() {
    return Math.min(holder.scrollTop, Math.max(0, (drawn.depth + 1) * ROW - canvas.clientHeight));
  }

  let drag = null, dragged = false;
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, from: view.from, to: view.to };
    dragged = false;
  });
  addEventListener("pointerup", () => (drag = null));
  canvas.addEventListener("pointermove", (event) => {
    if (drag && view.to - view.from < 1) {
      const shift = ((drag.x - event.clientX) / canvas.clientWidth) * (drag.to - drag.from);
      dragged = dragged || Math.abs(event.clientX - drag.x) > 3;
      setRange(drag.from + shift, drag.to + shift);
      return;
    }
    on.hover(nodeAt(event), event);
  });
  canvas.addEventListener("pointerleave", () => on.hover(-1, null));
  canvas.addEventListener("click", (event) => {
    const node = nodeAt(event);
    if (node >= 0 && !dragged) on.selectNode(node);
  });
  canvas.addEventListener("dblclick", (event) => {
    const node = nodeAt(event);
    if (node >= 0) on.zoom(node);
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const at = view.from + (event.offsetX / canvas.clientWidth) * (view.to - view.from), by = Math.exp(event.deltaY / 200);
    setRange(at - (at - view.from) * by, at + (view.to - at) * by);
  }, { passive: false });

  function setRange(from, to) {
    const size = Math.max(1e-9, Math.min(1, to - from));
    view.from = Math.max(0, Math.min(1 - size, from));
    view.to = view.from + size;
    schedule();
  }

  holder.addEventListener("scroll", schedule);
  new ResizeObserver(schedule).observe(holder);

  function recolour() {
    colours = readColours();
    hatch = hatchPattern(context, colours.hatch, 7);
    removedHatch = hatchPattern(context, colours.narrow, 8);
    schedule();
  }

  recolour();
  Object.assign(view, { root: state.zoom, mix: state.side === AFTER ? 1 : 0, oneScale: state.oneScale });
  draw();
  return {
    update, reveal, recolour, zoomBy: (by) => setRange((view.from + view.to - (view.to - view.from) * by) / 2,
      (view.from + view.to + (view.to - view.from) * by) / 2),
    frames: () => drawn.frames,
    print(on) {
      printing = on;
      recolour();
      draw();
    },
  };
}
