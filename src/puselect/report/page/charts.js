"use strict";
/* Small SVG charts and the map of rows (canvas). Colours come from the style sheet. */

const FRAME = { top: 28, right: 16, bottom: 36, left: 46 };

function niceTicks(low, high, wanted = 5) {
  const span = high - low || 1;
  if (!Number.isFinite(span)) return [];
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9 && ticks.length < 50; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

/* Where a value lies between two others, 0 to 1; halved, because their difference may overflow. */
const between = (v, low, high) => (high > low ? (v / 2 - low / 2) / (high / 2 - low / 2) : 0.5);

function path(xs, ys, x, y) {
  let text = "", pen = "M";
  for (let i = 0; i < xs.length; i++) {
    if (ys[i] === null) { pen = "M"; continue; }
    text += `${pen}${x(xs[i]).toFixed(1)} ${y(ys[i]).toFixed(1)}`;
    pen = "L";
  }
  return text;
}

function whenResized(host, draw) {
  let width = 0;
  new ResizeObserver(() => {
    if (Math.abs(host.clientWidth - width) > 1) { width = host.clientWidth; draw(width); }
  }).observe(host);
}

/* A chart with axes; `lines` are {xs, ys, kind}. Returns the svg and its scales. */
function lineChart({ width, height, lines, xTitle, yTitle, yLow = 0, yHigh, label, right = FRAME.right }) {
  const xs = lines[0].xs;
  const ys = lines.flatMap((line) => line.ys).filter((v) => v !== null);
  const [x0, x1] = [0, Math.max(...xs, 1)];
  const top = yHigh ?? Math.min(Math.max(...ys, 1e-9) * 1.06, Number.MAX_VALUE);
  const inner = { w: width - FRAME.left - right, h: height - FRAME.top - FRAME.bottom };
  const x = (v) => FRAME.left + ((v - x0) / (x1 - x0)) * inner.w;
  const y = (v) => FRAME.top + (1 - (v - yLow) / (top - yLow)) * inner.h;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
  for (const t of niceTicks(yLow, top, 4)) {
    svg.append(make("line", { class: "grid", x1: FRAME.left, x2: FRAME.left + inner.w, y1: y(t), y2: y(t) }),
      make("text", { class: "tick", x: FRAME.left - 8, y: y(t) + 4, "text-anchor": "end", text: short(t) }));
  }
  for (const t of niceTicks(x0, x1, Math.max(2, Math.min(6, inner.w / 90)))) {
    svg.append(make("text", { class: "tick", x: x(t), y: height - 18, "text-anchor": "middle", text: whole.format(t) }));
  }
  svg.append(make("text", { class: "axis", x: FRAME.left + inner.w, y: height - 3, "text-anchor": "end", text: xTitle }));
  if (yTitle) svg.append(make("text", { class: "axis", x: FRAME.left - 38, y: 12, text: yTitle }));
  const marks = lines.map((line) => make("path", { class: `line ${line.kind}`, d: path(line.xs, line.ys, x, y) }));
  svg.append(...marks);
  return { svg, x, y, marks, inner };
}

const cut = (name) => (name.length > 20 ? `${name.slice(0, 10)}…${name.slice(-9)}` : name);

/* Probabilities over time; arrow keys and the pointer highlight one feature. */
class Tracks {
  constructor(host, search, features) {
    const byColumn = new Map(features.map((feature) => [feature.column, feature]));
    this.host = host;
    this.tracks = search.columns.map((column, i) => ({ feature: byColumn.get(column), theta: search.theta[i] }));
    this.xs = search.step.map((step) => step * search.masks_per_step);
    this.current = -1;
    this.plot = make("div", { class: "plot" });
    this.says = make("p", { class: "says", role: "status", "aria-live": "polite" });
    host.append(this.plot, this.says);
    this.say();
    host.addEventListener("keydown", (event) => this.key(event));
    host.addEventListener("pointermove", (event) => this.point(event));
    host.addEventListener("pointerleave", () => this.choose(-1));
    whenResized(this.plot, (width) => this.draw(width));
  }

  draw(width) {
    const order = this.tracks.map((t, i) => i).sort((a, b) => this.tracks[a].feature.selected - this.tracks[b].feature.selected);
    const lines = order.map((i) => ({ xs: this.xs, ys: this.tracks[i].theta, kind: this.tracks[i].feature.selected ? "in" : "out" }));
    const chart = lineChart({ width, height: Math.min(380, Math.max(250, width * 0.42)), lines, yHigh: 1, right: this.names(width) ? 150 : 16,
      xTitle: "clusterings tried", yTitle: "probability of being selected", label: this.host.dataset.label });
    this.marks = [];
    order.forEach((i, place) => { this.marks[i] = chart.marks[place]; });
    this.chart = chart;
    this.spot = make("path", { class: "line spot" });
    this.name = make("text", { class: "name now", x: FRAME.left + chart.inner.w + 14 });
    chart.svg.append(this.spot, this.name);
    this.named = this.names(width);
    if (this.named) this.nameSelected();
    this.plot.replaceChildren(chart.svg);
    this.choose(this.current);
  }

  names(width) {
    return width > 620 && this.tracks.filter((t) => t.feature.selected).length <= 16;
  }

  /* Names of the selected features at the ends of their lines, moved apart if they would overlap. */
  nameSelected() {
    const { chart } = this, gap = 15, left = FRAME.left + chart.inner.w;
    const ends = this.tracks.filter((t) => t.feature.selected).map((t) => ({ text: cut(t.feature.name), y: chart.y(t.theta.at(-1)) }));
    ends.sort((a, b) => a.y - b.y);
    let next = FRAME.top;
    for (const end of ends) {
      end.at = Math.max(end.y, next);
      next = end.at + gap;
    }
    let last = FRAME.top + chart.inner.h;
    for (const end of ends.reverse()) {
      end.at = Math.min(end.at, last);
      last = end.at - gap;
      chart.svg.append(make("line", { class: "leader", x1: left + 1, x2: left + 10, y1: end.y, y2: end.at }),
        make("text", { class: "name", x: left + 14, y: end.at + 4, text: end.text }));
    }
  }

  key(event) {
    const moves = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
    if (event.key === "Escape") return this.choose(-1);
    if (!(event.key in moves)) return undefined;
    event.preventDefault();
    const n = this.tracks.length;
    return this.choose((Math.max(this.current, moves[event.key] > 0 ? -1 : 0) + moves[event.key] + n) % n);
  }

  point(event) {
    const box = this.chart.svg.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let k = 0;
    this.xs.forEach((v, i) => { if (Math.abs(this.chart.x(v) - px) < Math.abs(this.chart.x(this.xs[k]) - px)) k = i; });
    let best = -1, least = 24;
    this.tracks.forEach((track, i) => {
      const gap = Math.abs(this.chart.y(track.theta[k]) - py);
      if (gap < least) { least = gap; best = i; }
    });
    this.choose(best);
  }

  choose(i) {
    this.current = i;
    const track = this.tracks[i];
    this.chart.svg.classList.toggle("picked", Boolean(track));
    this.spot.setAttribute("d", track ? this.marks[i].getAttribute("d") : "");
    this.spot.setAttribute("class", `line spot ${track && track.feature.selected ? "in" : "out"}`);
    this.name.textContent = track && this.named ? cut(track.feature.name) : "";
    if (track) this.name.setAttribute("y", this.chart.y(track.theta.at(-1)) + 4);
    this.say(track);
  }

  say(track) {
    this.says.textContent = track
      ? `${track.feature.name}: rank ${track.feature.rank}, probability ${short(track.theta.at(-1))} at the end, ${track.feature.selected ? "selected" : "not selected"}`
      : "Point at a line, or focus the chart and use the arrow keys, to see which feature it is.";
  }
}

/* The map: unlabelled rows below, candidates above them, labelled rows on top. */
class RowMap {
  constructor(host, view) {
    Object.assign(this, { host, view, hidden: new Set() });
    this.canvas = make("canvas", { role: "img", "aria-label": host.dataset.label });
    this.tip = make("div", { class: "tip", hidden: true });
    this.plot = make("div", { class: "plot map" }, this.canvas, this.tip);
    host.append(this.legend(), this.plot);
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    whenResized(this.plot, (width) => { this.width = width; this.draw(); });
  }

  legend() {
    const names = ["unlabelled", "known positive", "candidate"];
    const group = make("fieldset", { class: "legend" }, make("legend", { class: "hidden", text: "Rows to show" }));
    for (const kind of [1, 2, 0]) {
      const count = this.view.kind.filter((k) => k === kind).length;
      if (!count) continue;
      const box = make("input", { type: "checkbox", checked: true, onchange: () => {
        if (box.checked) this.hidden.delete(kind); else this.hidden.add(kind);
        this.draw();
      } });
      group.append(make("label", { class: "check" }, box, make("span", { class: `key k${kind}`, "aria-hidden": "true" }),
        `${names[kind]} (${whole.format(count)})`));
    }
    return group;
  }

  draw() {
    if (!this.width) return;
    const { view, canvas, width } = this;
    const height = Math.min(520, Math.max(280, width * 0.56)), ratio = window.devicePixelRatio || 1;
    Object.assign(canvas, { width: width * ratio, height: height * ratio });
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d");
    const colourOf = (node) => getComputedStyle(node).backgroundColor;
    const rim = colourOf(canvas);
    const scale = (values, low, high) => {
      const [a, b] = [Math.min(...values), Math.max(...values)];
      return (v) => low + between(v, a, b) * (high - low);
    };
    const [x, y] = [scale(view.x, 14, width - 14), scale(view.y, height - 14, 14)];
    this.places = view.x.map((v, i) => [x(v), y(view.y[i])]);
    pen.scale(ratio, ratio);
    for (const kind of [0, 2, 1]) {
      if (this.hidden.has(kind)) continue;
      const key = this.host.querySelector(`.key.k${kind}`);
      if (!key) continue;
      pen.fillStyle = colourOf(key);
      pen.globalAlpha = [0.55, 0.75, 1][kind === 2 ? 1 : kind && 2];
      view.kind.forEach((k, i) => { if (k === kind) this.mark(pen, kind, ...this.places[i], rim); });
    }
    this.host.dataset.drawn = "yes";
  }

  mark(pen, kind, x, y, rim) {
    pen.beginPath();
    if (kind === 1) {
      pen.moveTo(x, y - 5); pen.lineTo(x + 5, y); pen.lineTo(x, y + 5); pen.lineTo(x - 5, y); pen.closePath();
      pen.strokeStyle = rim;
      pen.lineWidth = 1.2;
      pen.fill();
      pen.stroke();
    } else {
      pen.arc(x, y, kind === 2 ? 2.8 : 2, 0, 7);
      pen.fill();
    }
  }

  point(event) {
    const box = this.canvas.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let best = -1, least = 100;
    this.places.forEach(([x, y], i) => {
      const gap = (x - px) ** 2 + (y - py) ** 2;
      if (gap < least && !this.hidden.has(this.view.kind[i])) { least = gap; best = i; }
    });
    this.tip.hidden = best < 0;
    if (best < 0) return;
    this.tip.textContent = `row ${this.view.row[best]}, ${["unlabelled", "known positive", "candidate"][this.view.kind[best]]}`;
    this.tip.style.left = `${Math.min(this.places[best][0], this.width - 170)}px`;
    this.tip.style.top = `${this.places[best][1] + 10}px`;
  }
}
