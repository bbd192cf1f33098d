// The samples in a plane.

// Up to this number of prototypes, there is room for the names of their classes.
const NAMED_PROTOTYPES = 12;

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

