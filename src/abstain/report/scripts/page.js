// What does the page show at a position of the slider?
//
// All numbers come from the content that Python has compressed into the page. A position of the
// slider is a row of the front; the outcomes of the row are written and drawn.

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

// The accuracy that the samples support, if the point was fixed before they were looked at.
function support(content) {
  return (place, confidence) => {
    const counted = outcome(content.rows.on_samples, content.samples, place);
    const bound = content.share_known ? NaN : content.rows.bounds[confidence][place];
    byId("sentence").dataset.value = String(bound);
    byId("sentence").textContent = supported(content, counted, bound, percent(Number(confidence), 0));
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

// Return the tables of samples, and what writes all numbers and returns them in a sentence.
function numbers(content) {
  const writeSummary = summary(content);
  const writeMatrix = matrix(content);
  const writeClasses = classTable(content);
  const writeCells = cellTable(content);
  if (content.groups) groupTable(content.groups);
  const writeSupport = support(content);
  const writeTiles = tiles(content);
  const writeBadge = badge(content);
  const details = new Details(content);
  const tables = ["wrong", "rejected"].map((kind) => new SampleTable(content, details, kind));
  const show = (place, confidence) => {
    const confused = confusion(content, place);
    writeSummary(place);
    writeMatrix(confused);
    writeClasses(confused);
    writeCells(place, confused);
    tables.forEach((table) => table.show(place));
    if (content.rows.least_proba) {
      const least = content.rows.least_proba[place];
      write(byId("least-proba"), least === null ? "–" : percent(least, 1), least);
    }
    if (content.cells.several) {
      const threshold = number(content.rows.one_for_all.threshold[place]);
      write(byId("one-threshold"), decimal(threshold), threshold);
    }
    writeSupport(place, confidence);
    return `${writeTiles(place)}. ${writeBadge(place)}.`;
  };
  return { show, tables };
}

// Draw the figures; return a function that draws them again when the slider has moved.
async function figures(content, slider) {
  const level = byId("confidence");
  const curve = new Curve(content, slider);
  const scatter = content.scatter ? new Scatter(content) : null;
  const drawAll = () => Promise.all([
    curve.draw(level.value, slider.place),
    scatter?.draw(slider.place),
    content.monitor && drawMonitor(content.monitor),
    content.relevances && drawRelevances(content),
  ]);
  await drawAll();
  curve.target.on("plotly_afterplot", () => slider.align(curve.target._fullLayout._size));
  curve.onClick((place) => slider.choose(place));
  if (scatter) scatter.onClick((sample) => { location.hash = `#sample-${sample}`; });
  level.addEventListener("change", () => curve.draw(level.value, slider.place));
  for (const medium of [DARK, NARROW]) medium.addEventListener("change", drawAll);
  addEventListener("beforeprint", drawAll);
  // Figures keep the width of the paper until the window is resized.
  addEventListener("afterprint", async () => {
    await drawAll();
    setTimeout(() => dispatchEvent(new Event("resize")), 100);
  });
  const moves = (scatter ? [curve, scatter] : [curve]).map(
    (figure) => whenVisible(figure.target, () => figure.move(slider.place)),
  );
  return oncePerFrame(() => moves.forEach((move) => move()));
}

let slider;

async function start() {
  const plotly = decompress("plotly"); // takes a while, in parallel to the rest
  const content = JSON.parse(await decompress("content"));
  content.pairs = Int32Array.from(content.pairs);
  const level = byId("confidence");
  document.querySelector("main").hidden = false;
  const { show: writeNumbers, tables } = numbers(content);
  let draw = () => {};
  const show = (place) => {
    const sentence = writeNumbers(place, level.value);
    draw();
    return sentence;
  };
  slider = new Slider(content, show);
  byId("export").addEventListener("click", () => exportThresholds(content, slider.place));
  level.addEventListener("change", () => show(slider.place));
  showDefinitions();
  addEventListener("hashchange", () => openNamed(tables));
  // Before the figures are drawn, which take their colours and their width from it.
  const print = (isPrinted) => {
    document.documentElement.classList.toggle("printing", isPrinted);
    tables.forEach((table) => table.printAll(isPrinted));
  };
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  slider.choose(content.rows.start); // some browsers keep the position when they reload a page

  document.head.append(element("script", await plotly));
  draw = await figures(content, slider);
  draw(); // the slider may have moved meanwhile
  openNamed(tables);
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
