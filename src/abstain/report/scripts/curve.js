// The accuracy of the answers against the reject rate.

// Up to this number of points, a curve shows each of them as a dot that can be chosen.
const FEW_POINTS = 40;
// The accuracy of fewer answers, or of a smaller share of the samples, is uncertain.
const FEW_ANSWERS = 20;
const FEW_SHARE = 0.05;
// Such points are left out of the figure if the others need less than this share of its height.
const WORTH_CUTTING = 0.6;
// The margins are fixed, so that the axis is as long as the track of the slider above it.
const CURVE_MARGIN = { l: 58, r: 22, t: 12, b: 10 };

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

class Curve {
  constructor(content, slider) {
    this.content = content;
    this.slider = slider;
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
      name: `lower bound, ${percent(Number(confidence), 0)} confidence`, symbol: "line-ew-open",
    }];
  }

  draw(confidence, place) {
    this.drawn = [confidence, place];
    const lines = this.linesAt(confidence);
    const range = heights(lines);
    this.noteOnCut(range);
    this.shown = range.isCut && !this.isWhole ? range.shown : [-Infinity, Infinity];
    const hover = "%{fullData.name}<br>reject rate %{x:.1%}<br>accuracy %{y:.2%}<extra></extra>";
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
      ...this.marked(place), mode: "markers", name: "this point", hoverinfo: "skip", cliponaxis: false,
      marker: { size: 14, symbol: this.symbol(place), color: colour("local"), line: { width: 3, color: colour("ink") } },
    });
    this.marker = traces.length - 1;
    this.drawnSymbol = this.symbol(place);
    const visible = Number.isFinite(this.shown[0]) ? { range: this.shown } : { autorange: true };
    const { end, ticks } = this.slider;
    const drawn = drawFigure(this.target, traces, layout({
      margin: CURVE_MARGIN,
      xaxis: {
        title: { text: "reject rate", standoff: 6, font: { size: 13 } }, range: [0, end], tickvals: ticks, ticktext: ticks.map(percentTick),
      },
      yaxis: { tickformat: ".4~p", automargin: false, ...visible },
      legend: { orientation: "h", x: 0, y: 0, yref: "container", yanchor: "bottom", font: { size: NARROW.matches ? 11 : 13 } },
    }));
    this.slider.align(this.target._fullLayout._size);
    return drawn;
  }

  noteOnCut({ all, shown, isCut }) {
    byId("cut").hidden = !isCut;
    if (!isCut) return;
    const down = all[0] < shown[0] ? [`down to ${percent(all[0])}`] : [];
    const up = all[1] > shown[1] ? [`up to ${percent(all[1])}`] : [];
    const what = `points with few answers (fewer than ${FEW_ANSWERS}, or than ${percent(FEW_SHARE, 0)} of the samples), with accuracies or lower bounds ${[...down, ...up].join(" and ")}`;
    byId("cut-sentence").textContent = this.isWhole
      ? `The figure shows all points, including ${what}.`
      : `The figure leaves out ${what}. The slider reaches them; a triangle at the edge then marks it.`;
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

