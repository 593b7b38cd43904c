/* --- What is said first: what ran, how long it takes unmeasured, where ---------------------------------------------- */

function programOf(profile) {
  return profile.command || profile.dir;
}

function code(text) {
  return element("code", null, element("bdi", null, text));
}

function listed(parts) {
  return parts.flatMap((part, i) => (i === 0 ? [part] : [i === parts.length - 1 ? " and " : ", ", part]));
}

/* Where waiting is not known, computing is not either. */
function computingWord(profile) {
  return profile.knows_waiting ? "computing" : "time";
}

function whereSentence(page, on) {
  const whole = page.profiles[AFTER].all, computing = whole.compensated - whole.waiting - whole.ready;
  const known = page.functions.filter((f) => f.sides[AFTER] && !(f.sides[AFTER].flags & FLAG.SUM) && f.sides[AFTER].computing > 0 &&
    !isBelow(f.sides[AFTER].own, f.sides[AFTER].ownUncertainty));
  known.sort((a, b) => b.sides[AFTER].computing - a.sides[AFTER].computing);
  const first = known.filter((f, i) => i === 0 || f.sides[AFTER].computing > 0.05 * computing).slice(0, 3);
  if (!first.length || !(computing > 0)) return ["."];
  return [": ", listed(first.map((f, i) => element("span", { class: "where" },
    formatShare(f.sides[AFTER].computing / computing) + (i === 0 ? ` of the ${computingWord(page.profiles[AFTER])} in ` : " in "),
    element("button", { type: "button", class: "link", onclick: () => on.select(f.index) }, nameElement(f.short))))), "."];
}

function durationText(total) {
  return isBelow(total.compensated, total.uncertainty) ? "less than " + formatUncertainty(total.uncertainty)
    : formatEstimate(total.compensated, total.uncertainty);
}

function profileHead(page, on) {
  const profile = page.profiles[AFTER], total = profile.total, all = profile.all;
  byId("program").replaceChildren(code(programOf(profile)));
  byId("sentence").replaceChildren("It takes ", element("strong", null, durationText(total)),
    profile.replayed ? " unmeasured, as replayed" : " unmeasured", ...whereSentence(page, on).flat(3));
  const times = total.compensated > total.uncertainty ? `, ${formatDigits(total.raw / total.compensated, 4)} times as long` : "";
  const parts = [`Measured: ${formatTime(total.raw)}${times}.`];
  if (profile.thread_count > 1)
    parts.push(`${formatCount(profile.thread_count)} threads in ${formatCount(profile.processes.length)} ` +
      `${profile.processes.length === 1 ? "process" : "processes"}: ${formatTime(all.compensated)} together.`);
  if (profile.knows_waiting)
    parts.push(`Computing ${formatTime(all.compensated - all.waiting - all.ready)}, waiting ${formatTime(all.waiting)}` +
      (all.ready > 0 ? `, preempted ${formatTime(all.ready)}.` : "."));
  byId("details").textContent = parts.join(" ");
  wholeBar(all, computingWord(profile));
}

/* All threads: what they computed, waited, and what measuring took. */
function wholeBar(all, word) {
  const computing = Math.max(0, all.compensated - all.waiting - all.ready);
  const parts = [["computing", word, computing], ["waiting", all.ready > 0 ? "waiting or preempted" : "waiting", all.waiting + all.ready],
    ["removed", "measurement, taken out", Math.max(0, all.raw - all.compensated)]].filter(([, , ns]) => ns > 0);
  const sum = Math.max(1, parts.reduce((total, [, , ns]) => total + ns, 0));
  const bar = byId("whole");
  bar.setAttribute("aria-label", parts.map(([, title, ns]) => `${title} ${formatTime(ns)}`).join(", "));
  replaceContent(bar, parts.map(([kind, , ns]) => {
    const part = element("span", { class: kind });
    part.style.flexGrow = ns / sum;
    return part;
  }));
  legend(byId("whole-legend"), parts.map(([kind, title, ns]) => [kind, `${title} ${formatTime(ns)} (${formatShare(ns / sum)})`]));
}

function comparisonHead(page, on) {
  const [before, after] = page.profiles, delta = after.total.compensated - before.total.compensated;
  const uncertainty = Math.hypot(before.total.uncertainty, after.total.uncertainty);
  byId("program").replaceChildren(code(programOf(before)), " → ", code(programOf(after)));
  const changed = page.functions.map((f) => [functionChange(f), f]).filter(([change]) => change.significant)
    .sort(([a], [b]) => Math.abs(b.delta) - Math.abs(a.delta)).slice(0, 3);
  const relative = before.total.compensated > 0 ? ` (${formatShare(Math.abs(delta) / before.total.compensated)})` : "";
  const sentence = Math.abs(delta) > uncertainty
    ? ["It takes ", element("strong", null, `${formatTime(Math.abs(delta))} ± ${formatUncertainty(uncertainty)}${relative}`),
       delta > 0 ? " longer than before" : " less than before"]
    : ["The total has not changed by more than its uncertainty of ", element("strong", null, formatUncertainty(uncertainty))];
  const where = changed.length ? [Math.abs(delta) > uncertainty ? "; most in " : "; changed: ", listed(changed.map(([change, f]) => element("span", { class: "where" },
    element("button", { type: "button", class: "link", onclick: () => on.select(f.index) }, nameElement(f.short)),
    ` (${formatSigned(change.delta)})`))), "."] : ["."];
  byId("sentence").replaceChildren(...sentence, ...where.flat(3));
  byId("details").textContent = `Before: ${durationText(before.total)} in ${before.dir}. After: ${durationText(after.total)} in ${after.dir}. ` +
    "Only what changed by more than the uncertainty of the compensation has colour; other differences from run to run are not in it.";
  byId("whole").hidden = true;
}

function writeHead(page, on) {
  const profile = page.profiles[AFTER];
  document.title = (page.compared ? "comparison: " : "") + programOf(profile) + " - pcomp";
  if (page.compared) comparisonHead(page, on);
  else profileHead(page, on);
  legend(byId("graph-legend"), page.compared
    ? [["grown", "own time grew"], ["shrunk", "own time shrank"], ["plain", "no significant change"]]
    : [["computing", computingWord(profile)], ...(profile.knows_waiting ? [["waiting", "waiting or preempted"]] : []), ["unresolved", "below its own uncertainty"], ["removed", "taken out, or too small to draw"]]);
  writePruned(page);
  const how = page.profiles.filter(Boolean).flatMap((p) => [
    page.compared ? element("h3", null, nameElement(p.dir)) : null,
    element("p", null, p.how),
    p.samples > 0 ? element("p", null, `${formatCount(p.samples)} samples of the call stack.`) : null,
    p.warnings.length ? element("ul", null, p.warnings.map((text) => element("li", null, element("bdi", null, text)))) : null]);
  const flags = page.functions.filter(isListed).map(flagsOf);
  if (flags.some((bits) => bits & FLAG.EXCEEDED)) how.push(element("p", null, `!  ${MARKS.exceeded}.`));
  if (flags.some((bits) => !(bits & FLAG.EXACT))) how.push(element("p", null, `?  ${MARKS.inexact}.`));
  replaceContent(byId("how"), how, element("p", null, "± is the half-width of the 95 % interval of a compensated time."));
  byId("footer").textContent = `pcomp ${page.version}. This file holds all of its data and needs no network.`;
}

function writePruned(page) {
  const pruned = page.pruned, whole = Math.max(1, page.nodes.inclusive[AFTER][0]), texts = [];
  if (pruned.left_out > 0)
    texts.push(`${formatCount(pruned.left_out)} of ${formatCount(pruned.paths)} call paths are drawn as the sums of their callers: each has ` +
      `at most ${formatShare(pruned.largest / whole)} of the time, all of them ${formatShare(pruned.together / whole)}.`);
  if (pruned.functions > 0) texts.push(`${formatCount(pruned.functions)} functions are not in the table.`);
  const note = byId("pruned");
  note.hidden = !texts.length;
  note.textContent = texts.join(" ");
}
