// Where does the slider stand, and what is answered there?

// Width of the thumb, as in the style: its centre runs from end to end of the track.
const TICK_ROOM = 64; // pixels
const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5];

// Round shares from 0 to the end, so far apart that their names have room.
function roundShares(end, pixels) {
  const most = Math.max(2, Math.floor(pixels / TICK_ROOM));
  const step = STEPS.find((each) => end / each < most) ?? 1;
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, at) => at * step);
}

// The slider and the curve share one axis: the reject rate of the samples given.
class Slider {
  constructor(content, show) {
    const { on_samples: onSamples, one_for_all: shared, on_calibration: onCalibration } = content.rows;
    const rates = (counts, { n }) => counts.accepted.map((accepted) => (n - accepted) / n);
    this.rates = rates(onSamples, content.samples);
    const drawn = [...this.rates, ...rates(shared.on_samples, content.samples)];
    if (!content.is_calibration) drawn.push(...rates(onCalibration, content.calibration));
    this.end = Math.max(...drawn) || 1;
    // On other samples than those that set the thresholds, a later row may reject fewer.
    this.order = byRejects(this.rates, this.rates.map((_, place) => place));
    this.rank = [];
    this.order.forEach((place, rank) => { this.rank[place] = rank; });
    this.place = content.rows.start;
    this.show = show;
    this.input = byId("slider");
    this.input.max = this.end;
    this.input.addEventListener("input", () => this.drag());
    this.input.addEventListener("keydown", (event) => this.press(event));
    byId("back").addEventListener("click", () => this.step(-1));
    byId("forth").addEventListener("click", () => this.step(1));
    byId("reset").addEventListener("click", () => this.choose(content.rows.start));
    byId("own-point").style.left = `${100 * (this.rates[content.rows.start] / this.end)}%`;
    this.drawTicks();
    addEventListener("resize", () => this.drawTicks());
  }

  // The thumb goes to the closest point; of several at one rate, to the one that is chosen or the first.
  drag() {
    const rate = Number(this.input.value);
    const distance = (place) => Math.abs(this.rates[place] - rate);
    let [low, high] = [0, this.order.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rates[this.order[middle]] < rate) low = middle + 1; else high = middle;
    }
    const [before, after] = [this.order[Math.max(low - 1, 0)], this.order[low]];
    let place = distance(before) < distance(after) ? before : after;
    if (this.rates[place] === this.rates[this.place]) place = this.place;
    else while (this.rank[place] && this.rates[this.order[this.rank[place] - 1]] === this.rates[place]) place = this.order[this.rank[place] - 1];
    this.move(place);
  }

  // A key goes from point to point, however close they are.
  press(event) {
    const page = Math.max(1, Math.round(this.order.length / 10));
    const steps = {
      ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -page, PageUp: page,
      Home: -this.order.length, End: this.order.length,
    };
    if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.move(this.stepped(steps[event.key]));
  }

  stepped(by) {
    return this.order[Math.min(Math.max(this.rank[this.place] + by, 0), this.order.length - 1)];
  }

  step(by) {
    this.choose(this.stepped(by));
  }

  move(place) {
    this.place = place;
    this.input.value = this.rates[place];
    byId("back").disabled = this.rank[place] === 0;
    byId("forth").disabled = this.rank[place] === this.order.length - 1;
    const sentence = this.show(place);
    this.input.setAttribute("aria-valuetext", sentence);
    return sentence;
  }

  // What is not chosen by moving the slider itself is said.
  choose(place) {
    byId("status").textContent = this.move(place);
  }

  drawTicks() {
    const ticks = byId("ticks");
    this.ticks = roundShares(this.end, ticks.clientWidth || 600);
    ticks.replaceChildren(...this.ticks.map((share) => {
      const tick = element("span", percentTick(share));
      tick.style.left = `${100 * (share / this.end)}%`;
      return tick;
    }));
  }

  // Put the track above the x-axis of the curve.
  align({ l, w }) {
    const track = byId("track");
    track.style.marginLeft = `${l}px`;
    track.style.width = `${w}px`;
    this.drawTicks();
  }
}

// Counts and shares that a person asks for first.
function tiles(content) {
  const { n } = content.samples;
  const tile = (id, value, share, more) => {
    write(byId(id), count(value), value);
    write(byId(`${id}-share`), `${percent(share)} ${more}`, share);
  };
  return (place) => {
    const counted = outcome(content.rows.on_samples, content.samples, place);
    const { accepted, errors, lost, rejected } = counted;
    const right = accepted - errors;
    const rightAtAll = n - content.samples.errors;
    tile("answered", accepted, counted.coverage, `of ${count(n)} samples`);
    tile("right", right, counted.accuracy, "of the answers");
    tile("wrong", errors, 1 - counted.accuracy, "of the answers");
    tile("lost", lost, rightAtAll ? lost / rightAtAll : NaN, `of ${count(rightAtAll)} right answers`);
    write(byId("reject-rate"), percent(counted.rejectRate, 1), counted.rejectRate);
    byId("rejected-count").textContent = `${count(rejected)} of ${count(n)}`;
    return `${percent(counted.rejectRate, 1)} rejected: ${count(accepted)} answered, ${count(right)} right, ${count(errors)} wrong`;
  };
}

// A certificate holds for the thresholds that were tested, and for no others.
function badge(content) {
  const { thresholds, start } = content.rows;
  const own = String(thresholds[start]);
  const verdicts = content.certificates.map((each) => each.verdict);
  const atStart = !verdicts.length ? "none" : verdicts.includes("contradicted") ? "contradicted" : "certified";
  const names = { none: "Not certified", certified: "Certified", void: "Void", contradicted: "Contradicted" };
  return (place) => {
    const isOwn = place === start || String(thresholds[place]) === own;
    const state = isOwn || atStart === "none" ? atStart : "void";
    byId("badge").textContent = names[state];
    byId("badge").className = `badge ${state}`;
    document.querySelectorAll("#badge-meaning > [data-state]").forEach((each) => {
      each.hidden = each.dataset.state !== state;
    });
    return names[state];
  };
}
