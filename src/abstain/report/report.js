// What does the page show at a position of the slider?
//
// All numbers come from the content that Python has compressed into the page. A position of the
// slider is a row of the front; `show` writes the outcomes of the row and draws them. Text is only
// set as text, never as HTML.
"use strict";

const PAGE_SIZE = 25;
// Up to this number of points, a curve shows each of them as a dot that can be chosen.
const FEW_POINTS = 40;
// The accuracy of fewer answers, or of a smaller share of the samples, is uncertain.
const FEW_ANSWERS = 20;
const FEW_SHARE = 0.05;
// Such points are left out of the figure if the others need less than this share of its height.
const WORTH_CUTTING = 0.6;
// Classes that a warning names.
const MOST_NAMED = 5;
// A longer name of a row or a column takes several lines.
const LONG_NAME = 30;
// Up to this number of prototypes, there is room for the names of their classes.
const NAMED_PROTOTYPES = 12;
// Approximate width of a letter of a title, in pixels.
const LETTER = 8.5;
const DARK = matchMedia("(prefers-color-scheme: dark)");
const NARROW = matchMedia("(max-width: 40rem)"); // as in the style
const byId = (id) => document.getElementById(id);

// --- numbers and text ----------------------------------------------------------------------------

// Infinities travel as text.
const number = (value) => (typeof value === "number" ? value : value === "inf" ? Infinity : -Infinity);

function percent(share, digits = 2) {
  if (Number.isNaN(share)) return "–";
  const text = (100 * share).toFixed(digits);
  // A share below 1 is never shown as 100%, and one above 0 never as 0%.
  if (share < 1 && Number(text) >= 100) return `> ${(100 - 10 ** -digits).toFixed(digits)}%`;
  if (share > 0 && Number(text) === 0) return `< ${(10 ** -digits).toFixed(digits)}%`;
  return `${text}%`;
}

const count = (value) => value.toLocaleString("en-GB");

function decimal(value) {
  if (value === Infinity) return "∞";
  if (value === -Infinity) return "−∞";
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(3) : value.toPrecision(5);
  return text.replace("-", "−");
}

// Plotly reads some HTML in its texts: names must not look like it.
const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

// Leave out the middle of a long text: names often differ at their ends.
function short(text, most = 36) {
  const half = Math.floor(most / 2);
  return text.length <= most ? text : `${text.slice(0, half)}…${text.slice(1 - half)}`;
}

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// Write a rounded number, and the exact one as an attribute.
function write(target, text, value) {
  if (target.dataset.value === String(value) && target.firstChild) return;
  target.textContent = text;
  target.dataset.value = String(value);
}

function heading(text, scope) {
  const made = element("th", text, text.length > LONG_NAME ? "long-name" : "");
  made.scope = scope;
  return made;
}

function download(name, type, text) {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function decompress(id) {
  const letters = atob(byId(id).textContent);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

// --- what a row does -----------------------------------------------------------------------------

// Counts of samples of which some are accepted, `errors` of them wrong.
function outcome(counts, total, place) {
  const accepted = counts.accepted[place];
  const errors = counts.errors[place];
  const caught = total.errors - errors;
  const rejected = total.n - accepted;
  return {
    accepted, errors, rejected, caught, lost: rejected - caught,
    accuracy: accepted ? (accepted - errors) / accepted : NaN,
    coverage: accepted / total.n, rejectRate: rejected / total.n,
  };
}

// The confusion matrix: a row rejects the least certain samples of each cell.
function confusion(content, place) {
  const size = content.classes.length;
  const accepted = new Array(size * size).fill(0);
  const rejected = new Array(size).fill(0);
  const isWrong = accepted.map((_, pair) => Number(Math.trunc(pair / size) !== pair % size));
  const errorsLeft = [];
  let start = 0;
  content.cells.sizes.forEach((cellSize, cell) => {
    const begin = start + content.rows.rejected[place][cell];
    let errors = 0;
    for (let at = start; at < begin; at += 1) rejected[Math.trunc(content.pairs[at] / size)] += 1;
    for (let at = begin; at < start + cellSize; at += 1) {
      accepted[content.pairs[at]] += 1;
      errors += isWrong[content.pairs[at]];
    }
    errorsLeft.push(errors);
    start += cellSize;
  });
  return { accepted, rejected, errorsLeft };
}

// --- limits of shares ----------------------------------------------------------------------------

// The logarithms of the factorials 0!, 1!, …
const logFactorials = [0];
function logFactorial(whole) {
  for (let next = logFactorials.length; next <= whole; next += 1) {
    logFactorials.push(logFactorials[next - 1] + Math.log(next));
  }
  return logFactorials[whole];
}

// The probability that a beta variable with whole parameters is below x, by its continued fraction.
function betaBelow(x, a, b) {
  if (x <= 0 || x >= 1) return Number(x >= 1);
  if (x > (a + 1) / (a + b + 2)) return 1 - betaBelow(1 - x, b, a);
  const logBeta = logFactorial(a - 1) + logFactorial(b - 1) - logFactorial(a + b - 1);
  const first = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta) / a;
  // Convergents above / below, scaled so that below is 1.
  let [above, aboveBefore, belowBefore, value] = [1, 1, 0, 0];
  for (let n = 1; n <= 10000 && Math.abs(above - value) > 1e-13 * Math.abs(value); n += 1) {
    value = above;
    const m = Math.floor(n / 2);
    const term = n % 2
      ? (-(a + m) * (a + b + m) * x) / ((a + n - 1) * (a + n))
      : (m * (b - m) * x) / ((a + n - 1) * (a + n));
    const nextAbove = above + term * aboveBefore;
    const nextBelow = 1 + term * belowBefore;
    aboveBefore = above / nextBelow;
    belowBefore = 1 / nextBelow;
    above = nextAbove / nextBelow;
  }
  return first / above;
}

function betaQuantile(probability, a, b) {
  let [low, high] = [0, 1];
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2;
    if (betaBelow(middle, a, b) < probability) low = middle; else high = middle;
  }
  return (low + high) / 2;
}

// The limits of a share by Clopper and Pearson, with 95% confidence.
function limits(part, whole) {
  if (!whole) return [NaN, NaN];
  return [
    part ? betaQuantile(0.025, part, whole - part + 1) : 0,
    part < whole ? betaQuantile(0.975, part + 1, whole - part) : 1,
  ];
}

// --- tables --------------------------------------------------------------------------------------

function summary(content) {
  const rows = content.rows;
  const { several, kind } = content.cells;
  const shared = rows.one_for_all;
  const local = several ? `local, per ${kind}` : "one for all";
  const global = "global, one for all";
  const kinds = [[local, "samples given", rows.on_samples, content.samples]];
  if (several) kinds.push([global, "samples given", shared.on_samples, content.samples]);
  if (!content.is_calibration) {
    kinds.push([local, "calibration", rows.on_calibration, content.calibration]);
    if (several && shared.is_of_calibration) {
      kinds.push([global, "calibration", shared.on_calibration, content.calibration]);
    }
  }
  const body = byId("numbers").tBodies[0];
  const lines = kinds.map(([thresholds, on]) => {
    const line = body.insertRow();
    line.append(heading(thresholds, "row"), element("td", on, "words"));
    if (on === "calibration") line.className = "faint";
    return Array.from({ length: 6 }, () => line.insertCell());
  });
  return (place) => kinds.forEach(([, , counts, total], index) => {
    const counted = outcome(counts, total, place);
    const [accuracy, answered, rejected, errors, caught, lost] = lines[index];
    write(accuracy, percent(counted.accuracy), counted.accuracy);
    write(answered, `${count(counted.accepted)} (${percent(counted.coverage, 1)})`, counted.accepted);
    write(rejected, `${count(counted.rejected)} (${percent(counted.rejectRate, 1)})`, counted.rejected);
    write(errors, count(counted.errors), counted.errors);
    write(caught, count(counted.caught), counted.caught);
    write(lost, count(counted.lost), counted.lost);
  });
}

function matrix(content) {
  const table = byId("confusion");
  const head = table.tHead.insertRow();
  head.append(heading("true class", "col"), ...content.classes.map((name) => heading(name, "col")));
  const last = heading("rejected", "col");
  last.className = "rejects";
  head.append(last);
  const cells = content.classes.map((name, truth) => {
    const line = table.tBodies[0].insertRow();
    line.append(heading(name, "row"));
    const answers = content.classes.map(() => line.insertCell());
    const rejected = line.insertCell();
    rejected.className = "rejects";
    return { answers, rejected, truth };
  });
  return (confused) => cells.forEach(({ answers, rejected, truth }) => {
    answers.forEach((cell, answer) => {
      const value = confused.accepted[truth * content.classes.length + answer];
      write(cell, count(value), value);
      cell.className = truth === answer ? "right" : value ? "wrong" : "";
    });
    write(rejected, count(confused.rejected[truth]), confused.rejected[truth]);
  });
}

function classTable(content) {
  const size = content.classes.length;
  const outward = (limit, round) => (round(1000 * limit) / 10).toFixed(1);
  const range = ([low, high]) => (Number.isNaN(low) ? "–" : `${outward(low, Math.floor)}–${outward(high, Math.ceil)}%`);
  const lines = content.classes.map((name) => {
    const line = byId("by-class").tBodies[0].insertRow();
    line.append(heading(name, "row"));
    return Array.from({ length: 10 }, () => line.insertCell());
  });
  return (confused) => {
    const counts = content.classes.map((name, label) => {
      const answered = confused.accepted.slice(label * size, (label + 1) * size).reduce((sum, each) => sum + each, 0);
      const named = content.classes.reduce((sum, _, truth) => sum + confused.accepted[truth * size + label], 0);
      return { name, answered, named, right: confused.accepted[label * size + label], rejected: confused.rejected[label] };
    });
    counts.forEach(({ answered, named, right, rejected }, label) => {
      const cells = lines[label];
      const [wrong, samples] = [answered - right, answered + rejected];
      [answered, right, wrong, rejected].forEach((value, at) => write(cells[at], count(value), value));
      const [recall, precision] = [limits(right, answered), limits(right, named)];
      write(cells[4], percent(right / answered), right / answered);
      write(cells[5], range(recall), recall[0]);
      write(cells[6], percent(right / samples), right / samples);
      write(cells[7], percent(1 - wrong / samples), 1 - wrong / samples);
      write(cells[8], percent(right / named), right / named);
      write(cells[9], range(precision), precision[0]);
    });
    const answered = counts.reduce((sum, each) => sum + each.answered, 0);
    const right = counts.reduce((sum, each) => sum + each.right, 0);
    const largest = counts.reduce((most, each) => (each.answered > most.answered ? each : most));
    const never = counts.filter((each) => !each.right && each.answered + each.rejected).map((each) => each.name);
    const more = never.length > MOST_NAMED ? ` and ${never.length - MOST_NAMED} more` : "";
    const alarms = never.length ? [`Never answered rightly: ${never.slice(0, MOST_NAMED).join(", ")}${more}.`] : [];
    // By costs, another answer than the most probable one may be the best.
    if (!content.has_costs && answered && right <= largest.answered) {
      alarms.push(`The answers are no better than always naming ${largest.name}.`);
    }
    byId("class-alarms").textContent = alarms.join(" ");
    byId("class-alarms").hidden = !alarms.length;
  };
}

function groupTable(groups) {
  groups.rows.forEach((row) => {
    const line = byId("by-group").tBodies[0].insertRow();
    line.append(heading(row.group, "row"));
    write(line.insertCell(), count(row.samples), row.samples);
    [row, row.without_groups].filter(Boolean).forEach((kind) => {
      const [accuracy, bound] = [kind.accuracy ?? NaN, kind.accuracy_bound ?? NaN];
      const first = line.insertCell();
      first.className = "rejects";
      write(first, `${count(kind.answered)} (${percent(kind.answered / row.samples, 1)})`, kind.answered);
      write(line.insertCell(), count(kind.right), kind.right);
      write(line.insertCell(), count(kind.wrong), kind.wrong);
      write(line.insertCell(), percent(accuracy), accuracy);
      write(line.insertCell(), percent(Math.floor(1000 * bound) / 1000, 1), bound);
    });
  });
}

function cellTable(content) {
  const { names, is_shown: isShown, calibrated, sizes, errors } = content.cells;
  const body = byId("cells").tBodies[0];
  const lines = names.map((name, cell) => {
    if (!isShown[cell]) return null;
    const line = body.insertRow();
    line.append(heading(name, "row"));
    if (calibrated) line.insertCell().textContent = count(calibrated[cell]);
    line.insertCell().textContent = count(sizes[cell]);
    line.insertCell().textContent = count(errors[cell]);
    return Array.from({ length: 4 }, () => line.insertCell());
  });
  return (place, confused) => lines.forEach((line, cell) => {
    if (!line) return;
    const [threshold, rejected, share, left] = line;
    const value = number(content.rows.thresholds[place][cell]);
    const some = content.rows.rejected[place][cell];
    const part = sizes[cell] ? some / sizes[cell] : NaN;
    write(threshold, decimal(value), value);
    write(rejected, count(some), some);
    write(share, percent(part, 1), part);
    share.className = "share";
    share.style.setProperty("--part", `${100 * (part || 0)}%`);
    write(left, count(confused.errorsLeft[cell]), confused.errorsLeft[cell]);
  });
}

// --- the rejected samples ------------------------------------------------------------------------

// Each column: its title, the value that sorts it, and the text that is shown (of words, the same).
function columns(content) {
  const { details, classes, cells, features } = content;
  const label = (code) => (code < 0 ? "" : classes[code]);
  const signed = (share) => `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(0)}%`;
  const probability = details.correct_proba
    ? [{ title: "probability right", value: (at) => details.correct_proba[at] ?? NaN, text: (value) => percent(value, 1) }]
    : [];
  const all = [
    { title: "sample", value: (at) => (details.name ? details.name[at] : details.place[at]), isWord: true },
    { title: "true class", value: (at) => label(details.truth[at]), isWord: true },
    { title: "answer", value: (at) => label(details.answer[at]), isWord: true },
    { title: "rival", value: (at) => label(details.rival[at]), isWord: true },
    { title: "right or wrong", value: (at) => (details.truth[at] === details.answer[at] ? "right" : "wrong"), isWord: true },
    { title: "reason", value: (at) => (details.outlier[at] ? "outlier" : "ambiguous"), isWord: true },
    { title: "certainty", value: (at) => details.certainty[at] },
    ...probability,
    { title: "threshold", value: (at, limits) => limits[details.cell[at]] },
    {
      title: "to acceptance",
      value: (at, limits) => (details.outlier[at] ? Infinity : limits[details.cell[at]] - details.certainty[at]),
    },
    { title: "cell", value: (at) => cells.names[details.cell[at]], isWord: true },
  ];
  if (details.unusual) {
    all.push({
      title: "unusual", isWord: true, isLong: true,
      value: (at) => (details.unusual[at] ?? []).join(", "),
    });
  }
  if (details.features) {
    all.push({
      title: "features", isWord: true, isLong: true,
      value: (at) => details.features[at]
        .map((feature, index) => `${features[feature]} ${signed(details.shares[at][index])}`).join(", "),
    });
  }
  return all;
}

const collator = new Intl.Collator("en", { numeric: true });

// What a spreadsheet would take for a formula, and what only looks like one (see _core/text.py).
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;
const HARMLESS = /^([+-]+|[+-](\d[\d.,]*|[.,]\d+|inf)([eE][+-]?\d+)? ?%?)$/;

function csvField(value) {
  const isNumber = typeof value === "number";
  let text = isNumber ? String(value).replace("Infinity", "inf") : value;
  if (!isNumber && FORMULA.test(text) && !HARMLESS.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

class RejectedTable {
  constructor(content) {
    this.content = content;
    this.details = content.details;
    this.details.certainty = this.details.certainty.map(number);
    this.columns = columns(content);
    this.sortedBy = this.columns.findIndex((column) => column.title === "to acceptance");
    this.sign = 1;
    this.page = 0;
    this.limits = [];
    this.chosen = [];
    this.words = [];
    this.ranks = new Map();
    this.makeHead();
    byId("search").addEventListener("input", () => { this.page = 0; this.choose(); });
    byId("previous").addEventListener("click", () => this.turn(-1));
    byId("next").addEventListener("click", () => this.turn(1));
    byId("csv").addEventListener("click", () => this.save());
  }

  makeHead() {
    const line = byId("rejected").tHead.insertRow();
    this.heads = this.columns.map((column, index) => {
      const head = heading("", "col");
      if (column.isWord) head.className = "words";
      const button = element("button", column.title);
      button.type = "button";
      button.addEventListener("click", () => this.sortBy(index));
      head.append(button);
      line.append(head);
      return head;
    });
  }

  sortBy(index) {
    this.sign = index === this.sortedBy ? -this.sign : 1;
    this.sortedBy = index;
    this.page = 0;
    this.choose();
  }

  turn(step) {
    this.page += step;
    this.draw();
  }

  show(place) {
    this.limits = this.content.rows.thresholds[place].map(number);
    this.n = this.content.samples.n - this.content.rows.on_samples.accepted[place];
    this.page = 0;
    this.choose();
  }

  // What can be searched does not depend on the slider: the words of a sample are joined once.
  textOf(at) {
    this.words[at] ??= this.columns.filter((column) => column.isWord)
      .map((column) => column.value(at)).join("\n").toLowerCase();
    return this.words[at];
  }

  // Nor does the order of words: it is computed once, as numbers.
  ranksOf(column) {
    if (!this.ranks.has(column)) {
      const words = this.details.place.map((_, at) => String(column.value(at)));
      const order = [...new Set(words)].sort(collator.compare);
      const rank = new Map(order.map((word, index) => [word, index]));
      this.ranks.set(column, words.map((word) => rank.get(word)));
    }
    return this.ranks.get(column);
  }

  keysOf(matching) {
    const column = this.columns[this.sortedBy];
    if (column.isWord) return this.ranksOf(column);
    const keys = new Float64Array(this.details.place.length);
    matching.forEach((at) => { keys[at] = column.value(at, this.limits); });
    return keys;
  }

  choose() {
    const { certainty, cell, outlier } = this.details;
    const wanted = byId("search").value.trim().toLowerCase();
    const rejected = [];
    for (let at = 0; at < certainty.length; at += 1) {
      if (outlier[at] || certainty[at] < this.limits[cell[at]]) rejected.push(at);
    }
    this.rejected = rejected.length;
    const matching = wanted ? rejected.filter((at) => this.textOf(at).includes(wanted)) : rejected;
    const keys = this.keysOf(matching);
    // Equal ones stay in the order of the samples, whichever way they are sorted.
    this.chosen = matching.sort((a, b) => (keys[a] === keys[b] ? a - b : keys[a] < keys[b] ? -this.sign : this.sign));
    this.draw();
  }

  draw() {
    const pages = Math.max(1, Math.ceil(this.chosen.length / PAGE_SIZE));
    this.page = Math.min(Math.max(this.page, 0), pages - 1);
    const first = this.page * PAGE_SIZE;
    const body = element("tbody");
    this.chosen.slice(first, first + PAGE_SIZE).forEach((at) => {
      const line = body.insertRow();
      this.columns.forEach((column) => {
        const value = column.value(at, this.limits);
        const kind = column.isLong ? "words long" : column.isWord ? "words" : "";
        const text = column.text ?? (typeof value === "number" && !column.isWord ? decimal : String);
        const cell = element("td", text(value), kind);
        if (column.isLong || column.title === "sample") cell.title = String(value);
        line.append(cell);
      });
    });
    byId("rejected").tBodies[0].replaceWith(body);
    this.heads.forEach((head, index) => {
      const order = this.sign > 0 ? "ascending" : "descending";
      if (index === this.sortedBy) head.setAttribute("aria-sort", order);
      else head.removeAttribute("aria-sort");
      const mark = index === this.sortedBy ? (this.sign > 0 ? " ▲" : " ▼") : "";
      head.firstChild.textContent = this.columns[index].title + mark;
    });
    byId("page").textContent = `Page ${count(this.page + 1)} of ${count(pages)}`;
    byId("previous").disabled = this.page === 0;
    byId("next").disabled = this.page === pages - 1;
    byId("csv").disabled = this.chosen.length === 0;
    const some = this.rejected < this.n ? `, ${count(this.rejected)} of them with details` : "";
    const shown = this.chosen.length < this.rejected ? `; ${count(this.chosen.length)} found` : "";
    byId("found").textContent = `${count(this.n)} rejected${some}${shown}.`;
  }

  save() {
    const lines = [this.columns.map((column) => column.title), ...this.chosen.map(
      (at) => this.columns.map((column) => column.value(at, this.limits)),
    )];
    const text = lines.map((line) => line.map(csvField).join(",")).join("\r\n");
    // The byte order mark tells spreadsheets that the file is UTF-8.
    download("rejected.csv", "text/csv", `\ufeff${text}\r\n`);
  }
}

// --- figures -------------------------------------------------------------------------------------

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Letters are readable on any background if they are outlined in the colour of the page.
function halo() {
  const paper = colour("paper");
  return ["1px 1px", "-1px 1px", "1px -1px", "-1px -1px"].map((at) => `${at} 2px ${paper}`).join(", ");
}

function layout(more) {
  const axis = () => ({
    gridcolor: colour("line"), linecolor: colour("faint"), zeroline: false, automargin: true,
    tickfont: { color: colour("faint") },
  });
  const made = {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", dragmode: false,
    font: { family: "system-ui, sans-serif", size: 13, color: colour("ink") },
    margin: { l: 10, r: 10, t: 10, b: 10 }, hovermode: "closest",
    hoverlabel: { bgcolor: colour("raised"), bordercolor: colour("line"), font: { color: colour("ink") } },
    legend: {
      orientation: "h", x: 0, y: 1.02, yanchor: "bottom",
      ...(NARROW.matches ? { font: { size: 11 }, itemwidth: 30 } : {}),
    },
    xaxis: axis(), yaxis: axis(),
  };
  for (const name of ["xaxis", "yaxis"]) Object.assign(made[name], more[name]);
  return { ...made, ...more, xaxis: made.xaxis, yaxis: made.yaxis };
}

const CONFIG = { displayModeBar: false, responsive: true, showTips: false };

// Break a title into lines that fit into a number of pixels, and shorten words that do not fit.
// Names are text: each line is escaped by itself.
function folded(title, pixels) {
  const room = Math.max(10, Math.floor(pixels / LETTER));
  const lines = [""];
  for (const word of title.split(" ").map((each) => short(each, room))) {
    const last = lines[lines.length - 1];
    if (last && last.length + 1 + word.length > room) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines.map(plain).join("<br>");
}

// The titles of both axes, no longer than the axes.
function titles(target, first, second) {
  return {
    x: { text: folded(first, target.clientWidth - 80) },
    y: { text: folded(second, 0.5 * target.clientHeight), standoff: 8 },
  };
}

// The lowest and the highest of the finite values.
function span(values) {
  const known = values.filter((value) => Number.isFinite(value));
  return [Math.min(...known), Math.max(...known)];
}

// The range of accuracies that the figure shows, and the range of all. The accuracy of few answers
// is uncertain and jumps: such points are left out if the others need much less room.
function heights(lines) {
  const all = span(lines.flatMap(({ y }) => y));
  const firmOnes = lines.map(({ y, answers, total }) => y.filter(
    (_, at) => answers[at] >= Math.max(FEW_ANSWERS, FEW_SHARE * total),
  ));
  const firm = span(firmOnes.flat());
  const needed = firm[1] - firm[0];
  const isCut = firmOnes.every((some) => some.length > 1) && needed > 0
    && needed < WORTH_CUTTING * (all[1] - all[0]);
  // An end that needs little room is shown whole; each has a margin.
  const ends = firm.map((end, side) => (Math.abs(all[side] - end) < 0.25 * needed ? all[side] : end));
  return { all, isCut, shown: [ends[0] - 0.06 * needed, ends[1] + 0.06 * needed] };
}

// The positions of a line by the number of rejects. On other samples than those that set the
// thresholds, a later position may reject less, and a line in the order of positions would turn back.
function byRejects(x, y) {
  return x.map((_, place) => place).sort((one, other) => x[one] - x[other] || y[one] - y[other]);
}

class Curve {
  constructor(content) {
    this.content = content;
    this.target = byId("curve");
    const rows = content.rows;
    const all = rows.row.map((_, place) => place);
    const line = (counts, total) => ({
      x: all.map((place) => outcome(counts, total, place).rejectRate),
      y: all.map((place) => outcome(counts, total, place).accuracy),
      answers: counts.accepted, total: total.n,
    });
    this.local = line(rows.on_samples, content.samples);
    const { several } = content.cells;
    this.isOne = all.length === 1;
    this.isWhole = false;
    const name = several ? "local thresholds" : "one threshold";
    this.lines = [{ ...this.local, name, colour: "local", dash: "solid", width: 3, symbol: "circle" }];
    if (several && !this.isOne) { // without rejects, global and local are the same
      const shared = line(rows.one_for_all.on_samples, content.samples);
      this.lines.push({ ...shared, name: "global threshold", colour: "global", dash: "dash", width: 2, symbol: "square" });
    }
    if (!content.is_calibration) {
      const set = line(rows.on_calibration, content.calibration);
      this.lines.push({
        ...set, name: several ? "local, calibration" : "calibration", colour: "calibration",
        dash: "dashdot", width: 1.5, symbol: "diamond",
      });
    }
    byId("whole").addEventListener("click", () => {
      this.isWhole = !this.isWhole;
      this.draw(...this.drawn);
    });
  }

  linesAt(confidence) {
    if (this.content.share_known) return this.lines;
    return [...this.lines, {
      ...this.local, y: this.content.rows.bounds[confidence], colour: "bound", dash: "dot", width: 2,
      name: `at least, with ${percent(Number(confidence), 0)} confidence`, symbol: "line-ew-open",
    }];
  }

  draw(confidence, place) {
    this.drawn = [confidence, place];
    const lines = this.linesAt(confidence);
    const range = heights(lines);
    this.noteOnCut(range);
    this.shown = range.isCut && !this.isWhole ? range.shown : [-Infinity, Infinity];
    const hover = "%{fullData.name}<br>rejected %{x:.1%}<br>accuracy %{y:.2%}<extra></extra>";
    const traces = lines.map(({ x, y, name, colour: role, dash, width, symbol }) => {
      const n = y.filter((value) => Number.isFinite(value)).length;
      // The classifier's own thresholds may be those of no row of the front.
      const places = byRejects(x, y).filter((at) => this.content.rows.row[at] !== null);
      return {
        x: places.map((at) => x[at]), y: places.map((at) => y[at]), customdata: places,
        name, hovertemplate: hover, cliponaxis: n > FEW_POINTS,
        mode: n < 2 ? "markers" : n > FEW_POINTS ? "lines" : "lines+markers",
        line: { color: colour(role), dash, width },
        marker: { color: colour(role), symbol, size: n < 2 ? 20 : 5, line: { width: n < 2 ? 3 : 1, color: colour(role) } },
      };
    });
    traces.push({
      ...this.marked(place), mode: "markers", name: "chosen point", hoverinfo: "skip", cliponaxis: false,
      marker: { size: 14, symbol: this.symbol(place), color: colour("local"), line: { width: 3, color: colour("ink") } },
    });
    this.marker = traces.length - 1;
    this.drawnSymbol = this.symbol(place);
    const { x, y } = titles(this.target, "rejected", "accuracy of answers");
    const only = this.isOne ? { range: [-1, 1], tickvals: [0], showgrid: false } : { rangemode: "tozero" };
    const visible = Number.isFinite(this.shown[0]) ? { range: this.shown } : { autorange: true };
    return Plotly.react(this.target, traces, layout({
      xaxis: { title: x, tickformat: ".4~p", ...only },
      yaxis: { title: y, tickformat: ".4~p", ...visible },
    }), CONFIG);
  }

  noteOnCut({ all, shown, isCut }) {
    byId("cut").hidden = !isCut;
    if (!isCut) return;
    const down = all[0] < shown[0] ? [`down to ${percent(all[0])}`] : [];
    const up = all[1] > shown[1] ? [`up to ${percent(all[1])}`] : [];
    const what = `points with few answers (fewer than ${FEW_ANSWERS}, or than ${percent(FEW_SHARE, 0)} of the samples), with accuracies or lower bounds ${[...down, ...up].join(" and ")}`;
    byId("cut-sentence").textContent = this.isWhole
      ? `The figure shows all points, including ${what}.`
      : `The figure leaves out ${what}. The slider reaches them; a triangle at the edge then marks the chosen point.`;
    byId("whole").textContent = this.isWhole ? "Leave these out" : "Show all";
  }

  // Where the chosen point is drawn: at the edge of the figure if it lies outside.
  marked(place) {
    const [low, high] = this.shown;
    return { x: [this.local.x[place]], y: [Math.min(Math.max(this.local.y[place], low), high)] };
  }

  symbol(place) {
    const [low, high] = this.shown;
    const y = this.local.y[place];
    return y < low ? "triangle-down" : y > high ? "triangle-up" : "circle";
  }

  move(place) {
    this.drawn[1] = place;
    const { x, y } = this.marked(place);
    const changes = { x: [x], y: [y] };
    if (this.symbol(place) !== this.drawnSymbol) changes["marker.symbol"] = this.symbol(place);
    this.drawnSymbol = this.symbol(place);
    Plotly.restyle(this.target, changes, [this.marker]);
  }

  onClick(choose) {
    this.target.on("plotly_click", (event) => {
      const { curveNumber, customdata } = event.points[0];
      if (curveNumber < this.marker) choose(customdata);
    });
  }
}

// Outcomes of samples differ in shape and colour.
const KINDS = [
  { name: "answered, right", symbol: "circle", colour: "right", size: 6, opacity: 0.75 },
  { name: "rejected, right", symbol: "triangle-up-open", colour: "rejected", size: 9, opacity: 1 },
  { name: "rejected, wrong", symbol: "triangle-down", colour: "rejected", size: 9, opacity: 1 },
  { name: "answered, wrong", symbol: "x", colour: "wrong", size: 10, opacity: 1 },
];

class Scatter {
  constructor(content) {
    this.content = content;
    this.points = content.scatter;
    this.target = byId("view");
    this.certainty = this.points.certainty.map(number);
    const name = (at) => (this.points.name ? this.points.name[at] : this.points.place[at]);
    this.texts = this.certainty.map((_, at) => plain(
      `sample ${name(at)}: ${content.classes[this.points.truth[at]]}, answer ${content.classes[this.points.answer[at]]}`,
    ));
  }

  kinds(place) {
    const limits = this.content.rows.thresholds[place].map(number);
    const made = KINDS.map(() => ({ x: [], y: [], text: [] }));
    this.certainty.forEach((certainty, at) => {
      const isRejected = this.points.outlier[at] || certainty < limits[this.points.cell[at]];
      const isWrong = this.points.truth[at] !== this.points.answer[at];
      const kind = made[isRejected ? (isWrong ? 2 : 1) : (isWrong ? 3 : 0)];
      kind.x.push(number(this.points.x[at]));
      kind.y.push(number(this.points.y[at]));
      kind.text.push(this.texts[at]);
    });
    return made;
  }

  draw(place) {
    const traces = this.kinds(place).map((kind, index) => ({
      ...kind, name: KINDS[index].name, mode: "markers", hovertemplate: "%{text}<extra></extra>",
      marker: {
        symbol: KINDS[index].symbol, color: colour(KINDS[index].colour), size: KINDS[index].size,
        opacity: KINDS[index].opacity,
      },
    }));
    if (this.points.prototypes.length) {
      traces.push({
        x: this.points.prototypes.map(([x]) => x), y: this.points.prototypes.map(([, y]) => y),
        text: this.points.prototype_labels.map((label) => plain(short(label, 24))), name: "prototype",
        mode: this.points.prototypes.length <= NAMED_PROTOTYPES ? "markers+text" : "markers",
        textposition: "top center", textfont: { size: 14, shadow: halo(), weight: 600 },
        hovertemplate: "prototype of %{text}<extra></extra>", cliponaxis: false,
        marker: { symbol: "star", size: 17, color: colour("prototype"), line: { width: 1.5, color: colour("paper") } },
      });
    }
    const { x, y } = titles(this.target, ...this.points.axes);
    return Plotly.react(this.target, traces, layout({ xaxis: { title: x }, yaxis: { title: y } }), CONFIG);
  }

  move(place) {
    const made = this.kinds(place);
    const of = (name) => made.map((kind) => kind[name]);
    Plotly.restyle(this.target, { x: of("x"), y: of("y"), text: of("text") }, [0, 1, 2, 3]);
  }
}

function drawRelevances(content) {
  const { features, values, columns: names } = content.relevances;
  const ticks = features.map((feature) => plain(short(content.features[feature])));
  const places = features.map((_, index) => index);
  const one = {
    type: "bar", orientation: "h", x: values[0], y: places, marker: { color: colour("local") },
    text: values[0].map((value) => percent(value, 1)), textposition: "auto", hoverinfo: "skip",
  };
  const several = {
    type: "heatmap", z: places.map((index) => values.map((row) => row[index])), x: names.map(plain),
    y: places, colorscale: "Viridis", zmin: 0, colorbar: { tickformat: ".4~p", thickness: 12 },
    hovertemplate: "%{x}: %{z:.1%}<extra></extra>",
  };
  const made = layout({
    xaxis: values.length > 1 ? { title: { text: "prototype" }, type: "category" } : { title: { text: "relevance" }, tickformat: ".4~p" },
    yaxis: { tickvals: places, ticktext: ticks, autorange: "reversed", showgrid: false },
    showlegend: false,
  });
  byId("relevances").style.height = `${Math.max(12, 5 + 1.6 * places.length)}rem`;
  return Plotly.react(byId("relevances"), [values.length > 1 ? several : one], made, CONFIG);
}

// The evidence against the promised accuracy, on a logarithmic scale: it is a factor.
function drawMonitor({ accuracy, alarm, alarm_at: alarmAt, answers, evidence }) {
  const target = byId("monitor");
  const last = answers[answers.length - 1];
  const line = {
    x: answers, y: evidence, mode: "lines", line: { color: colour("local"), width: 2.5 },
    hovertemplate: "%{x} answers<br>evidence %{y:.3~g}<extra></extra>",
  };
  const reached = {
    x: alarmAt === null ? [] : [alarmAt], y: alarmAt === null ? [] : [alarm], mode: "markers", hoverinfo: "skip",
    marker: { size: 12, symbol: "diamond", color: colour("wrong") },
  };
  const limit = {
    x: [0, last], y: [alarm, alarm], mode: "lines", hoverinfo: "skip",
    line: { color: colour("bound"), dash: "dot", width: 2 },
  };
  const isLate = alarmAt !== null && alarmAt > last / 2;
  const { x, y } = titles(target, "answers", `evidence against accuracy ${accuracy}`);
  const low = Math.min(0.5, ...evidence) / 2;
  return Plotly.react(target, [limit, line, reached], layout({
    xaxis: { title: x, range: [0, last], tickformat: ",d" },
    yaxis: {
      title: y, type: "log", range: [Math.log10(low), Math.log10(10 * alarm)], exponentformat: "power", dtick: 1,
    },
    showlegend: false,
    annotations: [{
      x: isLate ? 0 : last, xanchor: isLate ? "left" : "right",
      y: Math.log10(alarm), yanchor: "bottom", showarrow: false, text: "alarm",
      font: { color: colour("bound") },
    }],
  }), CONFIG);
}

// --- the page ------------------------------------------------------------------------------------

function exportThresholds(content, place) {
  const counted = outcome(content.rows.on_calibration, content.calibration, place);
  const document_ = {
    format: content.format,
    thresholds: content.rows.thresholds[place],
    cells: content.cells.labels,
    row: content.rows.row[place],
    reject_rate: counted.rejectRate,
    accuracy: Number.isNaN(counted.accuracy) ? null : counted.accuracy,
  };
  download("thresholds.json", "application/json", `${JSON.stringify(document_, null, 2)}\n`);
}

function supported(content, counted, bound, sure) {
  if (content.share_known) return "The model was fitted to some of these samples: they support no statement on its accuracy.";
  if (!counted.accepted) return "No sample is answered at this point: there is no accuracy to support.";
  return `${count(counted.accepted)} answers, ${count(counted.errors)} of them wrong: with ${sure} confidence, at least ${percent(bound)} of new answers would be right if this point had been fixed before these samples were looked at.`;
}

function cards(content) {
  const card = (id, text, value, more) => {
    write(byId(id), text, value);
    byId(id).append(element("small", more));
  };
  return (place, confidence) => {
    const counted = outcome(content.rows.on_samples, content.samples, place);
    const bound = content.rows.bounds[confidence][place];
    for (const id of ["accuracy", "coverage", "errors-left", "bound"]) byId(id).replaceChildren();
    card("accuracy", percent(counted.accuracy), counted.accuracy, "of the answers are right");
    card("coverage", percent(counted.coverage, 1), counted.coverage, `${count(counted.accepted)} of ${count(content.samples.n)}`);
    card("errors-left", count(counted.errors), counted.errors, `of ${count(content.samples.errors)}`);
    // Samples that the model was fitted to support no bound.
    if (content.share_known) card("bound", "–", NaN, "it was fitted to these samples");
    else card("bound", percent(bound), bound, "if fixed beforehand");
    const sure = percent(Number(confidence), 0);
    document.querySelectorAll(".confidence").forEach((each) => { each.textContent = sure; });
    byId("sentence").textContent = supported(content, counted, bound, sure);
    return `${percent(counted.coverage, 1)} answered, accuracy ${percent(counted.accuracy)}, ${count(counted.errors)} errors left`;
  };
}

// Draw at most once per frame, and only the latest state.
function oncePerFrame(draw) {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => { isWaiting = false; draw(); });
  };
}

// Draw a figure only while it is visible; after changes, draw it when it becomes visible.
function whenVisible(target, draw) {
  let isSeen = false;
  let isStale = false;
  new IntersectionObserver((entries) => {
    isSeen = entries[entries.length - 1].isIntersecting;
    if (isSeen && isStale) draw();
    isStale = isStale && !isSeen;
  }, { rootMargin: "100px" }).observe(target);
  return () => { if (isSeen) draw(); else isStale = true; };
}

// Write all numbers and tables; return them in a sentence.
function numbers(content) {
  const writeSummary = summary(content);
  const writeMatrix = matrix(content);
  const writeClasses = classTable(content);
  const writeCells = cellTable(content);
  if (content.groups) groupTable(content.groups);
  const writeCards = cards(content);
  const table = new RejectedTable(content);
  return (place, confidence) => {
    const confused = confusion(content, place);
    writeSummary(place);
    writeMatrix(confused);
    writeClasses(confused);
    writeCells(place, confused);
    table.show(place);
    if (content.rows.least_proba) {
      const least = content.rows.least_proba[place];
      write(byId("least-proba"), least === null ? "–" : percent(least, 1), least);
    }
    if (content.cells.several) {
      const threshold = number(content.rows.one_for_all.threshold[place]);
      write(byId("one-threshold"), decimal(threshold), threshold);
    }
    byId("back").disabled = place === 0;
    byId("forth").disabled = place === content.rows.row.length - 1;
    return writeCards(place, confidence);
  };
}

// Draw the figures; return a function that draws them again when the slider has moved.
async function figures(content, place) {
  const level = byId("confidence");
  const curve = new Curve(content);
  const scatter = content.scatter ? new Scatter(content) : null;
  const drawAll = async () => {
    await curve.draw(level.value, place());
    if (scatter) await scatter.draw(place());
    if (content.monitor) await drawMonitor(content.monitor);
    if (content.relevances) await drawRelevances(content);
  };
  await drawAll();
  for (const medium of [DARK, NARROW]) medium.addEventListener("change", drawAll);
  addEventListener("beforeprint", drawAll);
  const moves = (scatter ? [curve, scatter] : [curve]).map(
    (figure) => whenVisible(figure.target, () => figure.move(place())),
  );
  return { curve, move: oncePerFrame(() => moves.forEach((move) => move())) };
}

async function start() {
  const plotly = decompress("plotly"); // takes a while, in parallel to the rest
  const content = JSON.parse(await decompress("content"));
  content.pairs = Int32Array.from(content.pairs);
  const slider = byId("slider");
  const level = byId("confidence");
  const place = () => Number(slider.value);
  document.querySelector("main").hidden = false;
  const writeNumbers = numbers(content);
  let draw = () => {};

  const show = () => {
    const sentence = writeNumbers(place(), level.value);
    slider.setAttribute("aria-valuetext", sentence);
    draw();
    return sentence;
  };
  const choose = (value) => {
    slider.value = value;
    byId("status").textContent = show();
  };
  slider.addEventListener("input", show);
  byId("back").addEventListener("click", () => choose(place() - 1));
  byId("forth").addEventListener("click", () => choose(place() + 1));
  byId("reset").addEventListener("click", () => choose(content.rows.start));
  byId("export").addEventListener("click", () => exportThresholds(content, place()));
  level.addEventListener("change", show);
  choose(content.rows.start); // some browsers keep the position when they reload a page

  document.head.append(element("script", await plotly));
  const { curve, move } = await figures(content, place);
  curve.onClick(choose);
  level.addEventListener("change", () => curve.draw(level.value, place()));
  draw = move;
  draw(); // the slider may have moved meanwhile
  document.body.dataset.ready = "yes";
}

function showError(message) {
  byId("trouble").textContent = message;
  byId("trouble").hidden = false;
}

if (typeof DecompressionStream === "undefined") {
  showError("This browser is too old to decompress the report: use one of 2023 or later.");
} else {
  start().catch((error) => {
    showError(`The report could not be shown: ${error.message}`);
    throw error;
  });
}
