// The tables of samples: they are sorted, searched, turned over and saved.

const PAGE_SIZE = 25;
// Rows that are printed, of each table.
const PRINTED = 100;
// Values that are shown beside each other; the row that opens below has all.
const NAMED_VALUES = 4;

// What is known of a sample, by its place in the details.
class Details {
  constructor(content) {
    const { details, features } = content;
    Object.assign(this, details);
    this.classes = content.classes;
    this.cells = content.cells.names;
    this.featureNames = features;
    this.certainty = details.certainty.map(number);
    this.index = new Map(this.place.map((place, at) => [place, at]));
    this.size = this.place.length;
    const values = details.values;
    this.valueOf = new Map(values ? values.names.map((name, index) => [name, values.columns[index]]) : []);
    this.firstNames = values ? values.names.slice(0, NAMED_VALUES) : [];
  }

  label(code) {
    return code < 0 ? "" : this.classes[code];
  }

  isWrong(at) {
    return this.truth[at] !== this.answer[at];
  }

  isRejected(at, limits) {
    return Boolean(this.outlier[at]) || this.certainty[at] < limits[this.cell[at]];
  }

  nameOf(at) {
    if (this.name) return this.name[at];
    return this.row ? this.row[at] : this.place[at];
  }

  // The values that matter most: of unusual features, of deciding ones, or else of the first ones.
  mainValues(at) {
    const deciding = this.features ? this.features[at].map((feature) => this.featureNames[feature]) : [];
    const wanted = [...new Set([...(this.unusual?.[at] ?? []), ...deciding, ...this.firstNames])];
    return wanted.filter((name) => this.valueOf.has(name)).slice(0, NAMED_VALUES)
      .map((name) => `${name} ${valueText(this.valueOf.get(name)[at])}`).join(", ");
  }

  contributions(at) {
    const signed = (share) => `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(0)}%`;
    return this.features[at]
      .map((feature, index) => `${this.featureNames[feature]} ${signed(this.shares[at][index])}`).join(", ");
  }
}

const valueText = (value) => (value === null ? "missing" : typeof value === "number" ? shortValue(value) : value);

// Each column: its title, the value that sorts it, and the text that is shown (of words, the same).
// The reason follows the answer: both are in sight on a phone.
// Columns of one kind of table name it in `only`.
function columns(details, kind) {
  const all = [
    { title: !details.name && details.row ? "row" : "sample", value: (at) => details.nameOf(at), isWord: true, isLink: true },
    { title: kind === "rejected" ? "withheld answer" : "answer", value: (at) => details.label(details.answer[at]), isWord: true },
    { title: "reason", value: (at) => details.reason[at], isWord: true, isLong: true },
    { title: "true class", value: (at) => details.label(details.truth[at]), isWord: true },
    { title: "right or wrong", value: (at) => (details.isWrong(at) ? "wrong" : "right"), isWord: true, only: "rejected" },
    { title: "rival", value: (at) => details.label(details.rival[at]), isWord: true },
    ...(details.name && details.row ? [{ title: "row", value: (at) => details.row[at], text: String }] : []),
    ...(details.values ? [{ title: "values", value: (at) => details.mainValues(at), isWord: true, isLong: true, isShort: true }] : []),
    ...(details.correct_proba ? [{
      title: "probability right", value: (at) => details.correct_proba[at] ?? NaN, text: (value) => percent(value, 1),
    }] : []),
    { title: "certainty", value: (at) => details.certainty[at] },
    { title: "threshold", value: (at, limits) => limits[details.cell[at]] },
    {
      title: "to acceptance", only: "rejected",
      value: (at, limits) => (details.outlier[at] ? Infinity : limits[details.cell[at]] - details.certainty[at]),
    },
    { title: "cell", value: (at) => details.cells[details.cell[at]], isWord: true },
    ...(details.features ? [{ title: "features", value: (at) => details.contributions(at), isWord: true, isLong: true }] : []),
  ];
  return all.filter(({ only }) => !only || only === kind);
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

const KINDS_OF_TABLES = {
  rejected: { sortedBy: "to acceptance", sign: 1, file: "rejected.csv" },
  wrong: { sortedBy: "certainty", sign: -1, file: "wrong.csv" },
};

class SampleTable {
  constructor(content, details, kind) {
    Object.assign(this, { content, details, kind });
    const { sortedBy, sign } = KINDS_OF_TABLES[kind];
    this.columns = columns(details, kind);
    this.sortedBy = this.columns.findIndex(({ title }) => title === sortedBy);
    this.sign = sign;
    this.page = 0;
    this.pageSize = PAGE_SIZE;
    this.limits = [];
    this.chosen = [];
    this.words = [];
    this.ranks = new Map();
    this.opened = new Set();
    this.makeHead();
    this.part("search").addEventListener("input", () => { this.page = 0; this.choose(); });
    this.part("previous").addEventListener("click", () => this.turn(-1));
    this.part("next").addEventListener("click", () => this.turn(1));
    this.part("csv").addEventListener("click", () => this.save());
  }

  part(name) {
    return byId(`${this.kind}-${name}`);
  }

  makeHead() {
    const line = this.part("table").tHead.insertRow();
    this.heads = this.columns.map((column, index) => {
      const head = heading("", "col");
      if (column.isWord) head.className = "words";
      head.dataset.title = column.title; // what is printed
      const button = element("button", column.title);
      button.type = "button";
      define(button, column.title);
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

  show(place, confused) {
    const { accepted, errors } = this.content.rows.on_samples;
    this.limits = this.content.rows.thresholds[place].map(number);
    this.n = this.kind === "wrong" ? errors[place] : this.content.samples.n - accepted[place];
    this.page = 0;
    this.choose();
  }

  has(at) {
    const isRejected = this.details.isRejected(at, this.limits);
    return this.kind === "wrong" ? !isRejected && this.details.isWrong(at) : isRejected;
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
    const keys = new Float64Array(this.details.size);
    matching.forEach((at) => { keys[at] = column.value(at, this.limits); });
    return keys;
  }

  choose() {
    const wanted = this.part("search").value.trim().toLowerCase();
    const members = [];
    for (let at = 0; at < this.details.size; at += 1) if (this.has(at)) members.push(at);
    this.known = members.length;
    const matching = wanted ? members.filter((at) => this.textOf(at).includes(wanted)) : members;
    const keys = this.keysOf(matching);
    // Equal ones stay in the order of the samples, whichever way they are sorted.
    this.chosen = matching.sort((a, b) => (keys[a] === keys[b] ? a - b : keys[a] < keys[b] ? -this.sign : this.sign));
    this.draw();
  }

  draw() {
    const pages = Math.max(1, Math.ceil(this.chosen.length / this.pageSize));
    this.page = Math.min(Math.max(this.page, 0), pages - 1);
    const first = this.page * this.pageSize;
    const body = element("tbody");
    this.chosen.slice(first, first + this.pageSize).forEach((at) => {
      body.append(this.lineOf(at));
      if (this.opened.has(at)) body.append(this.valuesOf(at));
    });
    this.part("table").tBodies[0].replaceWith(body);
    this.heads.forEach((head, index) => {
      const order = this.sign > 0 ? "ascending" : "descending";
      if (index === this.sortedBy) head.setAttribute("aria-sort", order);
      else head.removeAttribute("aria-sort");
      const mark = index === this.sortedBy ? (this.sign > 0 ? " ▲" : " ▼") : "";
      head.firstChild.textContent = this.columns[index].title + mark;
    });
    this.part("page").textContent = `Page ${count(this.page + 1)} of ${count(pages)}`;
    this.part("pages").hidden = pages === 1;
    this.part("previous").disabled = this.page === 0;
    this.part("next").disabled = this.page === pages - 1;
    this.part("csv").disabled = this.chosen.length === 0;
    const some = this.known < this.n ? `, ${count(this.known)} of them with details` : "";
    const shown = this.chosen.length < this.known ? `; ${count(this.chosen.length)} found` : "";
    const printed = this.pageSize > PAGE_SIZE && pages > 1 ? ` The first ${count(this.pageSize)} are printed; the CSV file has all.` : "";
    this.part("found").textContent = `${count(this.n)} ${this.kind === "wrong" ? "answered wrongly" : "rejected"}${some}${shown}.${printed}`;
  }

  lineOf(at) {
    const line = element("tr");
    this.columns.forEach((column) => {
      const value = column.value(at, this.limits);
      const kind = column.isLong ? "words long" : column.isWord ? "words" : "";
      const text = column.text ?? (typeof value === "number" && !column.isWord ? decimal : String);
      const cell = element("td", column.isLink ? undefined : text(value), kind);
      if (column.isLink) cell.append(this.linkOf(at, text(value)));
      if (column.isLong || column.isLink) cell.title = String(value);
      line.append(cell);
    });
    return line;
  }

  // A link to the sample itself: it opens and closes the row with all values.
  linkOf(at, text) {
    const link = element("a", text);
    link.id = `sample-${this.details.place[at]}`;
    link.href = `#${link.id}`;
    if (!this.details.values) return link;
    link.setAttribute("aria-expanded", this.opened.has(at));
    link.addEventListener("click", (event) => {
      event.preventDefault();
      history.replaceState(null, "", link.href);
      if (!this.opened.delete(at)) this.opened.add(at);
      this.draw();
      byId(link.id).focus();
    });
    return link;
  }

  valuesOf(at) {
    const line = element("tr", undefined, "values");
    const cell = line.insertCell();
    cell.colSpan = this.columns.length;
    const list = element("dl");
    for (const [name, column] of this.details.valueOf) {
      const pair = element("div");
      pair.append(element("dt", name), element("dd", valueText(column[at])));
      list.append(pair);
    }
    cell.append(list);
    return line;
  }

  // Turn to the page of a sample and open it, if the table has it.
  open(at) {
    if (!this.has(at)) return false;
    this.part("search").value = "";
    this.opened.add(at);
    this.choose();
    this.page = Math.floor(this.chosen.indexOf(at) / this.pageSize);
    this.draw();
    const link = byId(`sample-${this.details.place[at]}`);
    link.scrollIntoView({ block: "center" });
    link.focus({ preventScroll: true });
    return true;
  }

  printAll(isPrinting) {
    this.pageSize = isPrinting ? PRINTED : PAGE_SIZE;
    this.draw();
  }

  save() {
    const { valueOf } = this.details;
    const shown = this.columns.filter((column) => !column.isShort);
    const names = new Set(shown.map((column) => column.title));
    const values = [...valueOf].map(([name, column]) => [names.has(name) ? `${name} (feature)` : name, column]);
    const lines = [
      [...shown.map((column) => column.title), ...values.map(([name]) => name)],
      ...this.chosen.map((at) => [
        ...shown.map((column) => column.value(at, this.limits)), ...values.map(([, column]) => column[at] ?? ""),
      ]),
    ];
    const text = lines.map((line) => line.map(csvField).join(",")).join("\r\n");
    // The byte order mark tells spreadsheets that the file is UTF-8.
    download(KINDS_OF_TABLES[this.kind].file, "text/csv", `\ufeff${text}\r\n`);
  }
}

// Open the sample that the address of the page names, such as #sample-17.
function openNamed(tables) {
  const place = /^#sample-(\d+)$/.exec(location.hash)?.[1];
  const at = tables[0].details.index.get(Number(place));
  if (place !== undefined && at !== undefined) tables.some((table) => table.open(at));
}
