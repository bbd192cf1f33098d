// The tables of samples: they are sorted, searched, turned over and saved.

const PAGE_SIZE = 25;

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

