// The tables whose lines stay: this point, classes, groups, cells.

// Classes that a warning names.
const MOST_NAMED = 5;

function summary(content) {
  const rows = content.rows;
  const { several, kind } = content.cells;
  const shared = rows.one_for_all;
  const local = several ? `local, per ${kind}` : "one for all";
  const global = "global, one for all";
  const kinds = [[local, "samples given", rows.on_samples, content.samples]];
  if (several) kinds.push([global, "samples given", shared.on_samples, content.samples]);
  if (!content.is_calibration) {
    kinds.push([local, "calibration", rows.on_calibration, content.calibration]);
    if (several && shared.is_of_calibration) {
      kinds.push([global, "calibration", shared.on_calibration, content.calibration]);
    }
  }
  const body = byId("numbers").tBodies[0];
  const lines = kinds.map(([thresholds, on]) => {
    const line = body.insertRow();
    line.append(heading(thresholds, "row"), element("td", on, "words"));
    if (on === "calibration") line.className = "faint";
    return Array.from({ length: 7 }, () => line.insertCell());
  });
  return (place) => kinds.forEach(([, , counts, total], index) => {
    const counted = outcome(counts, total, place);
    const [accuracy, answered, right, wrong, rejected, caught, lost] = lines[index];
    const { accepted, errors } = counted;
    write(accuracy, percent(counted.accuracy), counted.accuracy);
    write(answered, `${count(accepted)} (${percent(counted.coverage, 1)})`, accepted);
    write(right, count(accepted - errors), accepted - errors);
    write(wrong, count(errors), errors);
    write(rejected, `${count(counted.rejected)} (${percent(counted.rejectRate, 1)})`, counted.rejected);
    write(caught, count(counted.caught), counted.caught);
    write(lost, count(counted.lost), counted.lost);
  });
}

// A share with its limits, as text and as a bar from 0 to 100%.
function interval(cell, part, whole) {
  const share = whole ? part / whole : NaN;
  const [low, high] = limits(part, whole);
  if (!cell.firstChild) cell.append(element("span"), element("small"), element("i"));
  const [text, range, bar] = cell.children;
  const outward = (limit, round) => (round(1000 * limit) / 10).toFixed(1);
  text.textContent = percent(share, 1);
  range.textContent = whole ? `${outward(low, Math.floor)}–${outward(high, Math.ceil)}%` : "";
  bar.hidden = !whole;
  bar.style.setProperty("--low", low || 0);
  bar.style.setProperty("--high", high || 0);
  bar.style.setProperty("--at", share || 0);
  Object.assign(cell.dataset, { value: share, low, high });
}

function classTable(content) {
  const size = content.classes.length;
  const lines = content.classes.map((name) => {
    const line = byId("by-class").tBodies[0].insertRow();
    line.append(heading(name, "row"));
    const cells = Array.from({ length: 9 }, () => line.insertCell());
    cells.slice(0, 3).forEach((cell) => { cell.className = "interval"; });
    return cells;
  });
  return (confused) => {
    const counts = content.classes.map((name, label) => {
      const answered = confused.accepted.slice(label * size, (label + 1) * size).reduce((sum, each) => sum + each, 0);
      const named = content.classes.reduce((sum, _, truth) => sum + confused.accepted[truth * size + label], 0);
      return { name, answered, named, right: confused.accepted[label * size + label], rejected: confused.rejected[label] };
    });
    counts.forEach(({ answered, named, right, rejected }, label) => {
      const [recall, precision, coverage, ...others] = lines[label];
      const [wrong, samples] = [answered - right, answered + rejected];
      interval(recall, right, answered);
      interval(precision, right, named);
      interval(coverage, answered, samples);
      [answered, right, wrong, rejected].forEach((value, at) => write(others[at], count(value), value));
      write(others[4], percent(right / samples, 1), right / samples);
      write(others[5], percent(1 - wrong / samples, 1), 1 - wrong / samples);
    });
    const answered = counts.reduce((sum, each) => sum + each.answered, 0);
    const right = counts.reduce((sum, each) => sum + each.right, 0);
    const largest = counts.reduce((most, each) => (each.answered > most.answered ? each : most));
    const never = counts.filter((each) => !each.right && each.answered + each.rejected).map((each) => each.name);
    const more = never.length > MOST_NAMED ? ` and ${never.length - MOST_NAMED} more` : "";
    const alarms = never.length ? [`Never answered rightly: ${never.slice(0, MOST_NAMED).join(", ")}${more}.`] : [];
    // By costs, another answer than the most probable one may be the best.
    if (!content.has_costs && answered && right <= largest.answered) {
      alarms.push(`The answers are no better than always naming ${largest.name}.`);
    }
    byId("class-alarms").textContent = alarms.join(" ");
    byId("class-alarms").hidden = !alarms.length;
  };
}

function groupTable(groups) {
  groups.rows.forEach((row) => {
    const line = byId("by-group").tBodies[0].insertRow();
    line.append(heading(row.group, "row"));
    write(line.insertCell(), count(row.samples), row.samples);
    [row, row.without_groups].filter(Boolean).forEach((kind) => {
      const [accuracy, bound] = [kind.accuracy ?? NaN, kind.accuracy_bound ?? NaN];
      const first = line.insertCell();
      first.className = "rejects";
      write(first, `${count(kind.answered)} (${percent(kind.answered / row.samples, 1)})`, kind.answered);
      write(line.insertCell(), count(kind.right), kind.right);
      write(line.insertCell(), count(kind.wrong), kind.wrong);
      write(line.insertCell(), percent(accuracy), accuracy);
      write(line.insertCell(), percent(Math.floor(1000 * bound) / 1000, 1), bound);
    });
  });
}

function cellTable(content) {
  const { names, is_shown: isShown, calibrated, sizes, errors } = content.cells;
  const body = byId("cells").tBodies[0];
  const lines = names.map((name, cell) => {
    if (!isShown[cell]) return null;
    const line = body.insertRow();
    line.append(heading(name, "row"));
    if (calibrated) line.insertCell().textContent = count(calibrated[cell]);
    line.insertCell().textContent = count(sizes[cell]);
    line.insertCell().textContent = count(errors[cell]);
    return Array.from({ length: 4 }, () => line.insertCell());
  });
  return (place, confused) => lines.forEach((line, cell) => {
    if (!line) return;
    const [threshold, rejected, share, left] = line;
    const value = number(content.rows.thresholds[place][cell]);
    const some = content.rows.rejected[place][cell];
    const part = sizes[cell] ? some / sizes[cell] : NaN;
    write(threshold, decimal(value), value);
    write(rejected, count(some), some);
    write(share, percent(part, 1), part);
    share.className = "share";
    share.style.setProperty("--part", `${100 * (part || 0)}%`);
    write(left, count(confused.errorsLeft[cell]), confused.errorsLeft[cell]);
  });
}

