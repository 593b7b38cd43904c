/* --- Where frames of the graph lie ---------------------------------------------------------------------------------- */

const ROW = 22; /* pixels */
const SMALLEST = 0.6; /* pixels: narrower frames are drawn together */

/* Time of a node between the two sides. Negative times have no width. */
function widthValue(nodes, i, mix) {
  return Math.max(0, nodes.inclusive[BEFORE][i] * (1 - mix) + nodes.inclusive[AFTER][i] * mix);
}

/* Frames that can be seen: view has root (its callers get rows of full width), from and to (0..1 of the root's width),
 * mix (0: side BEFORE, 1: AFTER), oneScale (both sides have the same pixels a nanosecond). node -1: narrow frames. */
function layoutFrames(nodes, view, width) {
  const frames = [], root = view.root;
  const own = widthValue(nodes, root, view.mix);
  const basis = view.oneScale ? Math.max(widthValue(nodes, root, 0), widthValue(nodes, root, 1)) : own;
  const span = width / Math.max(view.to - view.from, 1e-12), left = -view.from * span;
  let depth = nodes.depth[root];
  for (let i = nodes.parent[root]; i >= 0; i = nodes.parent[i])
    frames.push({ node: i, x: 0, width, depth: nodes.depth[i], whole: false });
  const stack = [[root, left, basis > 0 ? (own / basis) * span : span, false]];
  while (stack.length) {
    const [node, x, w, exceeded] = stack.pop();
    const from = Math.max(x, 0), to = Math.min(x + w, width);
    if (to - from <= 0) continue;
    frames.push({ node, x: from, width: to - from, depth: nodes.depth[node], whole: x >= 0 && x + w <= width, exceeded });
    depth = Math.max(depth, nodes.depth[node]);
    pushChildren(nodes, node, x, w, view.mix, width, stack, frames);
  }
  return { frames, depth };
}

/* Where children take longer than their caller, they are drawn as wide as it together, and marked. */
function pushChildren(nodes, node, x, w, mix, width, stack, frames) {
  const value = widthValue(nodes, node, mix);
  let sum = 0;
  for (let i = nodes.first[node]; i >= 0; i = nodes.next[i]) sum += widthValue(nodes, i, mix);
  const exceeded = sum > value * 1.001 + nodes.uncertainty[AFTER][node], scale = sum > 0 ? w / Math.max(value, sum) : 0;
  let at = x, narrow = 0;
  const flush = () => {
    if (narrow >= SMALLEST && at > 0 && at - narrow < width) {
      const from = Math.max(at - narrow, 0);
      frames.push({ node: -1, x: from, width: Math.min(at, width) - from, depth: nodes.depth[node] + 1, whole: false });
    }
    narrow = 0;
  };
  for (let i = nodes.first[node]; i >= 0; i = nodes.next[i]) {
    const part = widthValue(nodes, i, mix) * scale;
    if (part < SMALLEST) {
      narrow += part;
      at += part;
      continue;
    }
    flush();
    if (at + part > 0 && at < width) stack.push([i, at, part, exceeded]);
    at += part;
  }
  flush();
}

/* Where a node lies in the width of one that it is below: {from, to}, 0..1. */
function rangeBelow(nodes, node, root, mix) {
  let from = 0, to = 1;
  for (let i = node; i !== root && i >= 0; i = nodes.parent[i]) {
    const parent = nodes.parent[i], value = widthValue(nodes, parent, mix);
    let before = 0, sum = 0;
    for (let k = nodes.first[parent]; k >= 0; k = nodes.next[k]) {
      if (k === i) before = sum;
      sum += widthValue(nodes, k, mix);
    }
    const whole = Math.max(value, sum, 1e-9);
    const start = before / whole, size = widthValue(nodes, i, mix) / whole;
    from = start + from * size;
    to = start + to * size;
  }
  return { from, to };
}

function isBelowNode(nodes, node, root) {
  return node >= root && node < nodes.end[root];
}

function frameAt(frames, x, depth) {
  for (let i = frames.length - 1; i >= 0; i--) {
    const frame = frames[i];
    if (frame.depth === depth && x >= frame.x && x < frame.x + frame.width) return frame;
  }
  return null;
}
