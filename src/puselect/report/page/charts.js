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

function whenResized(host, draw) {
  let width = 0;
  new ResizeObserver(() => {
    if (Math.abs(host.clientWidth - width) > 1) { width = host.clientWidth; draw(width); }
  }).observe(host);
}

/* Lines over the same x, from 0 to 1 high; `lines` are {ys, kind}. Returns the svg and its scales. */
function lineChart({ width, height, xs, lines, xTitle, label }) {
  const [w, h] = [width - FRAME.left - FRAME.right, height - FRAME.top - FRAME.bottom];
  const x = (v) => FRAME.left + (v / Math.max(...xs, 1)) * w, y = (v) => FRAME.top + (1 - v) * h;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
  for (const t of niceTicks(0, 1, 4)) {
    svg.append(make("line", { class: "grid", x1: FRAME.left, x2: FRAME.left + w, y1: y(t), y2: y(t) }),
      make("text", { class: "tick", x: FRAME.left - 8, y: y(t) + 4, "text-anchor": "end", text: short(t) }));
  }
  for (const t of niceTicks(0, Math.max(...xs, 1), Math.max(2, Math.min(6, w / 90)))) {
    svg.append(make("text", { class: "tick", x: x(t), y: height - 18, "text-anchor": "middle", text: whole.format(t) }));
  }
  svg.append(make("text", { class: "axis", x: FRAME.left + w, y: height - 3, "text-anchor": "end", text: xTitle }),
    ...lines.map(({ ys, kind }) => make("path", { class: `line ${kind}`, d: `M${ys.map((v, i) => `${x(xs[i]).toFixed(1)} ${y(v).toFixed(1)}`).join("L")}` })));
  return { svg, x, y };
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
