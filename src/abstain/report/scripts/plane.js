// The samples in a plane, or, of many classes, on a line for each class.

// Up to this number of prototypes, there is room for the names of their classes.
const NAMED_PROTOTYPES = 12;
// Height of the line of a class, in pixels.
const CLASS_LINE = 26;
// Height of a figure that fits on a page, in pixels.
const PAGE_HEIGHT = 880;

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
    this.positions = this.certainty.map((_, at) => this.positionOf(at));
    // A margin, so that what lies at the edge is whole.
    this.ranges = this.points.ranges.map(([low, high]) => [low - 0.03 * (high - low || 1), high + 0.03 * (high - low || 1)]);
  }

  // A sample beyond the axes is an arrow at their edge.
  positionOf(at) {
    const inside = (value, [low, high]) => Math.min(Math.max(value, low), high);
    const [x, y] = [number(this.points.x[at]), number(this.points.y[at])];
    const [xRange, yRange] = this.points.ranges;
    const [shownX, shownY] = [inside(x, xRange), inside(y, yRange)];
    const arrow = shownX > x ? "arrow-left" : shownX < x ? "arrow-right" : shownY > y ? "arrow-down" : shownY < y ? "arrow-up" : null;
    return { x: shownX, y: shownY, arrow };
  }

  kinds(place) {
    const limits = this.content.rows.thresholds[place].map(number);
    const made = KINDS.map(() => ({ x: [], y: [], text: [], symbol: [], customdata: [] }));
    this.certainty.forEach((certainty, at) => {
      const isRejected = this.points.outlier[at] || certainty < limits[this.points.cell[at]];
      const isWrong = this.points.truth[at] !== this.points.answer[at];
      const index = isRejected ? (isWrong ? 2 : 1) : (isWrong ? 3 : 0);
      const kind = made[index];
      const { x, y, arrow } = this.positions[at];
      kind.x.push(x);
      kind.y.push(y);
      kind.text.push(this.texts[at]);
      kind.symbol.push(arrow ?? KINDS[index].symbol);
      kind.customdata.push(this.points.place[at]);
    });
    return made;
  }

  draw(place) {
    const { by_class: isByClass, axes, centres, prototypes, prototype_labels: labels } = this.points;
    const isNamed = prototypes.length > 0 && prototypes.length <= NAMED_PROTOTYPES;
    const names = this.content.classes.map((name) => plain(short(name, 24)));
    const bold = { size: 14, shadow: halo(), weight: 600 };
    const traces = this.kinds(place).map(({ symbol, ...kind }, index) => ({
      ...kind, name: KINDS[index].name, mode: "markers", hovertemplate: "%{text}<extra></extra>", cliponaxis: false,
      marker: {
        symbol, color: colour(KINDS[index].colour), size: KINDS[index].size, opacity: KINDS[index].opacity,
      },
      legendgroup: KINDS[index].name, showlegend: false,
    }));
    // The legend shows the symbol of an outcome, not that of its first sample, which may be an arrow.
    traces.push(...traces.map((kind, index) => ({
      ...kind, x: [null], y: [null], text: [], customdata: [], showlegend: true,
      marker: { ...kind.marker, symbol: KINDS[index].symbol },
    })));
    if (prototypes.length) {
      traces.push({
        x: prototypes.map(([x]) => x), y: prototypes.map(([, y]) => y),
        text: labels.map((label) => plain(short(label, 24))), name: "prototype",
        mode: isNamed ? "markers+text" : "markers", textposition: "top center", textfont: bold,
        hovertemplate: "prototype of %{text}<extra></extra>", cliponaxis: false,
        marker: { symbol: "star", size: 17, color: colour("prototype"), line: { width: 1.5, color: colour("paper") } },
      });
    }
    if (!isNamed) {
      traces.push({
        x: centres.map(([x]) => x), y: centres.map(([, y]) => y), text: centres.map(([, , label]) => names[label]),
        name: "middle of a class", mode: "text", textfont: bold, hoverinfo: "skip", showlegend: false, cliponaxis: false,
      });
    }
    const height = 150 + CLASS_LINE * names.length;
    if (isByClass) this.target.style.height = `${isPrinting() ? Math.min(height, PAGE_HEIGHT) : height}px`;
    const { x, y } = titles(this.target, ...axes);
    const lines = isByClass
      ? { range: [...this.ranges[1]].reverse(), tickvals: names.map((_, label) => label), ticktext: names }
      : { range: this.ranges[1], title: y };
    return drawFigure(this.target, traces, layout({ xaxis: { title: x, range: this.ranges[0] }, yaxis: lines }));
  }

  move(place) {
    const made = this.kinds(place);
    const of = (name) => made.map((kind) => kind[name]);
    Plotly.restyle(this.target, {
      x: of("x"), y: of("y"), text: of("text"), customdata: of("customdata"), "marker.symbol": of("symbol"),
    }, [0, 1, 2, 3]);
  }

  // A click on a sample opens it in its table.
  onClick(open) {
    this.target.on("plotly_click", ({ points: [{ customdata }] }) => {
      if (customdata !== undefined) open(customdata);
    });
  }
}
