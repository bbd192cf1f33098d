// The confusion matrix as a heat map.

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

