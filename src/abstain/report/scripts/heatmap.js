// The confusion matrix as a heat map: which classes are answered as which, and which are rejected?

// From this number of classes on, names of columns stand upright and zeros are left out.
const MANY_CLASSES = 10;
// Pairs of classes that are named below the matrix.
const MOST_CONFUSED = 6;

function matrix(content) {
  const size = content.classes.length;
  const table = byId("confusion");
  table.classList.toggle("many", size > MANY_CLASSES);
  const head = table.tHead.insertRow();
  const last = heading("rejected", "col");
  last.className = "rejects";
  head.append(heading("true class", "col"), ...content.classes.map((name) => {
    const made = heading("", "col");
    made.append(element("span", short(name, 24)));
    made.title = name;
    return made;
  }), last);
  const lines = content.classes.map((name) => {
    const line = table.tBodies[0].insertRow();
    line.append(heading(name, "row"));
    const cells = Array.from({ length: size + 1 }, () => line.insertCell());
    cells[size].className = "rejects";
    return cells;
  });
  return (confused) => {
    lines.forEach((cells, truth) => {
      const counts = [...confused.accepted.slice(truth * size, (truth + 1) * size), confused.rejected[truth]];
      const samples = counts.reduce((sum, each) => sum + each, 0);
      counts.forEach((value, answer) => {
        const cell = cells[answer];
        write(cell, value || size <= MANY_CLASSES ? count(value) : "", value);
        if (answer < size) cell.className = truth === answer ? "right" : value ? "wrong" : "";
        // The colour is that of a share of the class: it is seen from 1% on, and full at 100%.
        cell.style.setProperty("--heat", value ? `${8 + 62 * Math.sqrt(value / samples)}%` : "0%");
      });
    });
    const wrong = confused.accepted.map((value, pair) => ({ value, truth: Math.trunc(pair / size), answer: pair % size }))
      .filter(({ value, truth, answer }) => value && truth !== answer)
      .sort((one, other) => other.value - one.value);
    const named = wrong.slice(0, MOST_CONFUSED).map(
      ({ value, truth, answer }) => `${content.classes[truth]} answered as ${content.classes[answer]}: ${count(value)}`,
    );
    byId("confused").textContent = !wrong.length ? "No answer is wrong."
      : `${size > 2 ? "Most frequent wrong answers" : "Wrong answers"}: ${named.join("; ")}${wrong.length > MOST_CONFUSED ? "; …" : "."}`;
  };
}
