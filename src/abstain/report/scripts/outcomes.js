// What does a row of the front do to the samples, and how certain is a share?

// Counts of samples of which some are accepted, `errors` of them wrong.
function outcome(counts, total, place) {
  const accepted = counts.accepted[place];
  const errors = counts.errors[place];
  const caught = total.errors - errors;
  const rejected = total.n - accepted;
  return {
    accepted, errors, rejected, caught, lost: rejected - caught,
    accuracy: accepted ? (accepted - errors) / accepted : NaN,
    coverage: accepted / total.n, rejectRate: rejected / total.n,
  };
}

// The confusion matrix: a row rejects the least certain samples of each cell.
function confusion(content, place) {
  const size = content.classes.length;
  const accepted = new Array(size * size).fill(0);
  const rejected = new Array(size).fill(0);
  const isWrong = accepted.map((_, pair) => Number(Math.trunc(pair / size) !== pair % size));
  const errorsLeft = [];
  let start = 0;
  content.cells.sizes.forEach((cellSize, cell) => {
    const begin = start + content.rows.rejected[place][cell];
    let errors = 0;
    for (let at = start; at < begin; at += 1) rejected[Math.trunc(content.pairs[at] / size)] += 1;
    for (let at = begin; at < start + cellSize; at += 1) {
      accepted[content.pairs[at]] += 1;
      errors += isWrong[content.pairs[at]];
    }
    errorsLeft.push(errors);
    start += cellSize;
  });
  return { accepted, rejected, errorsLeft };
}

// The logarithms of the factorials 0!, 1!, …
const logFactorials = [0];
function logFactorial(whole) {
  for (let next = logFactorials.length; next <= whole; next += 1) {
    logFactorials.push(logFactorials[next - 1] + Math.log(next));
  }
  return logFactorials[whole];
}

// The probability that a beta variable with whole parameters is below x, by its continued fraction.
function betaBelow(x, a, b) {
  if (x <= 0 || x >= 1) return Number(x >= 1);
  if (x > (a + 1) / (a + b + 2)) return 1 - betaBelow(1 - x, b, a);
  const logBeta = logFactorial(a - 1) + logFactorial(b - 1) - logFactorial(a + b - 1);
  const first = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta) / a;
  // Convergents above / below, scaled so that below is 1.
  let [above, aboveBefore, belowBefore, value] = [1, 1, 0, 0];
  for (let n = 1; n <= 10000 && Math.abs(above - value) > 1e-13 * Math.abs(value); n += 1) {
    value = above;
    const m = Math.floor(n / 2);
    const term = n % 2
      ? (-(a + m) * (a + b + m) * x) / ((a + n - 1) * (a + n))
      : (m * (b - m) * x) / ((a + n - 1) * (a + n));
    const nextAbove = above + term * aboveBefore;
    const nextBelow = 1 + term * belowBefore;
    aboveBefore = above / nextBelow;
    belowBefore = 1 / nextBelow;
    above = nextAbove / nextBelow;
  }
  return first / above;
}

function betaQuantile(probability, a, b) {
  let [low, high] = [0, 1];
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2;
    if (betaBelow(middle, a, b) < probability) low = middle; else high = middle;
  }
  return (low + high) / 2;
}

// The limits of a share by Clopper and Pearson, with 95% confidence.
function limits(part, whole) {
  if (!whole) return [NaN, NaN];
  return [
    part ? betaQuantile(0.025, part, whole - part + 1) : 0,
    part < whole ? betaQuantile(0.975, part + 1, whole - part) : 1,
  ];
}


// The positions of a line by the number of rejects. On other samples than those that set the
// thresholds, a later position may reject less, and a line in the order of positions would turn back.
function byRejects(x, y) {
  return x.map((_, place) => place).sort((one, other) => x[one] - x[other] || y[one] - y[other]);
}
