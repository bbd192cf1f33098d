// How do all figures look?

const ROOT = document.documentElement;
const isPrinting = () => ROOT.classList.contains("printing");

// Approximate width of a letter of a title, in pixels.
const LETTER = 8.5;

function colour(name) {
  return getComputedStyle(ROOT).getPropertyValue(`--${name}`).trim();
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

// Draw a figure as large as its place: on a screen it follows its place, on paper nothing changes.
function drawFigure(target, traces, made) {
  const size = isPrinting() ? { width: target.clientWidth, height: target.clientHeight } : {};
  return Plotly.react(target, traces, { ...made, ...size }, { displayModeBar: false, responsive: true, showTips: false });
}

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
