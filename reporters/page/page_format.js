/* --- Numbers as text, as pcomp report has them: four significant digits, two of an uncertainty --------------------- */

const TIME_UNITS = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]];

function isKnown(value) {
  return value !== null && value !== undefined && Number.isFinite(value);
}

function formatDigits(value, digits) {
  const whole = value > 0 ? Math.floor(Math.log10(value)) + 1 : 1;
  return value.toFixed(Math.max(0, Math.min(digits - whole, 6)));
}

function formatTime(ns, digits = 4) {
  if (!isKnown(ns)) return "-";
  const size = Math.abs(ns);
  let unit = 0;
  while (unit < 3 && Number(formatDigits(size / TIME_UNITS[unit][0], digits)) >= 1000) unit++;
  const text = size === 0 ? "0" : formatDigits(size / TIME_UNITS[unit][0], digits);
  return (ns < 0 ? "-" : "") + text + "\u00a0" + TIME_UNITS[unit][1];
}

/* Rounded up. */
function formatUncertainty(ns) {
  if (!isKnown(ns) || ns <= 0) return formatTime(ns, 2);
  const digit = 10 ** (Math.floor(Math.log10(ns)) - 1);
  return formatTime(Math.ceil(ns / digit - 1e-9) * digit, 2);
}

function formatSigned(ns) {
  return (ns > 0 ? "+" : "") + formatTime(ns);
}

function formatCount(count) {
  return isKnown(count) ? Math.round(count).toString().replace(/\B(?=(\d{3})+$)/g, ",") : "-";
}

/* Calls that are no more than their own uncertainty: less than what is shown. */
function isBelowCalls(calls, uncertainty) {
  return uncertainty > 0 && uncertainty >= calls;
}

function formatCalls(calls, uncertainty) {
  return isBelowCalls(calls, uncertainty) ? "<" + formatCount(calls + uncertainty) : formatCount(calls);
}

/* Uncertainties of two runs are independent. */
function formatChangeOfCalls(sides) {
  const more = sides[AFTER].calls - sides[BEFORE].calls;
  const half = Math.hypot(sides[AFTER].callsUncertainty || 0, sides[BEFORE].callsUncertainty || 0);
  return (half >= Math.abs(more) ? "" : more > 0 ? "+" : "-") + formatCalls(Math.abs(more), half);
}

/* The function's own name, without the scopes that it is in. */
function ownName(name) {
  const at = name.lastIndexOf("::");
  return at < 0 ? name : name.slice(at + 2) || name;
}

function formatShare(share) {
  if (!isKnown(share)) return "-";
  const percent = 100 * share;
  return (percent !== 0 && Math.abs(percent) < 0.05 ? percent.toPrecision(1) : percent.toFixed(1)) + "\u00a0%";
}

/* Whether a time says nothing: it is not above its own uncertainty. */
function isBelow(ns, uncertainty) {
  return uncertainty > 0 && Math.abs(ns) <= uncertainty;
}

function formatEstimate(ns, uncertainty) {
  if (isBelow(ns, uncertainty)) return "<" + formatUncertainty(uncertainty);
  return formatTime(ns) + (uncertainty > 0 ? " ± " + formatUncertainty(uncertainty) : "");
}

/* Without arguments of templates and parameters, for places that are too small for the whole name. */
function shortName(name) {
  let text = "", depth = 0;
  for (let i = 0; i < name.length; i++) {
    const c = name[i];
    const operator = /operator\s*$/.test(text);
    if ((c === "<" || c === "(") && !operator && (text !== "" || c === "<")) depth++;
    if (depth === 0) text += c;
    if ((c === ">" || c === ")") && depth > 0) depth--;
  }
  return depth === 0 && /[\p{L}\p{N}_]/u.test(text) ? text.trim() : name;
}

function baseName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}
