// The figures that do not depend on the slider: relevances, and the accuracy over time.

function drawRelevances(content) {
  const { features, values, columns: names } = content.relevances;
  const ticks = features.map((feature) => plain(short(content.features[feature])));
  const places = features.map((_, index) => index);
  const one = {
    type: "bar", orientation: "h", x: values[0], y: places, marker: { color: colour("local") },
    text: values[0].map((value) => percent(value, 1)), textposition: "auto", insidetextfont: { color: colour("paper") }, hoverinfo: "skip",
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
  return drawFigure(byId("relevances"), [values.length > 1 ? several : one], made);
}

// The evidence against the accuracy that was certified or asked for, on a logarithmic scale: it is a factor.
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
  return drawFigure(target, [limit, line, reached], layout({
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
  }));
}

