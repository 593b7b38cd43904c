/* --- Elements. Texts become text nodes: nothing that a profile says is ever read as markup -------------------------- */

function byId(id) {
  return document.getElementById(id);
}

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "onclick") made.addEventListener("click", value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) made.append(child);
  return made;
}

function replaceContent(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
}

/* A name that may be of another writing direction than the page. */
/* A name that may be broken behind the scopes of C++. */
function nameElement(name) {
  const parts = name.split(/(?<=::)/);
  return element("bdi", { class: "name", title: name }, parts.flatMap((part, i) => (i ? [element("wbr"), part] : [part])));
}

/* Gives a canvas its size in the pixels of the page, for the screen's resolution, and empties it. */
function clearCanvas(canvas, context, width, height, background) {
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.globalAlpha = 1;
  context.fillStyle = background;
  context.fillRect(0, 0, width, height);
}

const SVG = "http://www.w3.org/2000/svg";

function svgElement(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/* A share of 0 to 1 as a bar, with its interval as a line. */
function intervalBar(share, half, kind) {
  const at = (x) => 100 * Math.max(0, Math.min(1, x));
  const bar = svgElement("svg", { class: "interval", viewBox: "0 0 100 12", preserveAspectRatio: "none", "aria-hidden": "true" });
  bar.append(svgElement("rect", { class: "track", x: 0, y: 0, width: 100, height: 12 }));
  if (!isKnown(share)) return bar;
  bar.append(svgElement("rect", { class: kind || "computing", x: 0, y: 0, width: at(share), height: 12 }));
  if (half > 0) {
    const from = at(share - half), to = at(share + half);
    bar.append(svgElement("path", { class: "whisker", d: `M${from} 6H${to}M${from} 3V9M${to} 3V9` }));
  }
  return bar;
}

function legend(list, entries) {
  replaceContent(list, entries.map(([kind, text]) => element("li", null, element("span", { class: "swatch " + kind }), text)));
}
