"use strict";
/* Puts the tables and charts into the page; each part reads the data of the result it stands in. */

const dataOf = (node) => node.closest("[data-result]").result;

const parts = {
  ranking(host) {
    const { features, lines, score_name: scoreName } = dataOf(host);
    const lineOf = (f) => lines[f.column];
    const isSearch = scoreName === "probability";
    const columns = [
      { key: "rank", title: "Rank", value: (f) => f.rank, numeric: true },
      { key: "name", title: "Feature", value: (f) => f.name, kind: "feature",
        cell: (f) => [make("span", { class: "label", text: f.name }),
          ...(f.members.length ? [make("span", { class: "quiet", text: ` (${f.members.length} columns)` })] : [])] },
      { key: "selected", title: "Selected", value: (f) => Number(f.selected), first: "descending",
        cell: (f) => (f.selected ? make("span", { class: "tag in", text: "selected" }) : make("span", { class: "tag", text: "no" })) },
    ];
    if (features.some((f) => f.cost !== null)) columns.push({ key: "cost", title: "Cost", value: (f) => f.cost, numeric: true });
    if (features.some((f) => lineOf(f).share !== null)) {
      columns.push({ key: "again", title: "Selected again", value: (f) => lineOf(f).share, first: "descending", kind: "measured",
        cell: (f) => [bar(lineOf(f).share, f.selected ? "in" : "out"), make("span", { class: "figure", text: lineOf(f).again }),
          ...(lineOf(f).twin ? [make("div", { class: "quiet", text: lineOf(f).twin })] : [])] });
    }
    columns.push({ key: "score", title: isSearch ? "Search probability" : "Score", value: (f) => f.score, numeric: true, first: "descending",
      cell: (f) => (isSearch && f.score !== null ? f.score.toFixed(3) : short(f.score)) });
    return new DataTable(host, { caption: "All features", noun: "features", columns, rows: features, sortBy: "rank",
      order: "ascending", search: { label: "Find a feature", text: (f) => f.name },
      filters: [{ label: "selected only", keep: (f) => f.selected }], rowClass: (f) => (f.selected ? "chosen" : "") });
  },

  map(host) {
    const map = new RowMap(host, dataOf(host).view);
    document.addEventListener("theme", () => map.draw());
    return map;
  },

  candidates(host) {
    const { candidates } = dataOf(host);
    const sure = candidates.confidence.length > 0, named = candidates.row_name || "row";
    const rows = candidates.row.map((row, i) => ({ row, lift: candidates.lift[i], confidence: candidates.confidence[i], values: candidates.values[i] }));
    const columns = [
      { key: "row", title: named, value: (c) => c.row, numeric: true, cell: (c) => String(c.row) },
      { key: "lift", title: "Lift", value: (c) => c.lift, numeric: true, first: "descending", cell: (c) => `${Number(c.lift.toPrecision(2))}×` },
      ...(sure ? [{ key: "confidence", title: "Confidence", value: (c) => c.confidence, first: "descending", kind: "measured",
        cell: (c) => [bar(c.confidence, "in"), make("span", { class: "figure", text: percent(c.confidence) })] }] : []),
      ...candidates.columns.map((name, j) => ({ key: `value${j}`, title: name, value: (c) => c.values[j], numeric: true, first: "descending",
        cell: (c) => (typeof c.values[j] === "string" ? c.values[j] : short(c.values[j])) })),
    ];
    const table = new DataTable(host, { caption: "Rows to look at", noun: "rows", columns, rows, sortBy: "lift",
      order: "descending", pageSize: 12, search: { label: "Find a row", text: (c) => String(c.row) } });
    const link = make("a", { class: "button" }, "Download CSV");
    offerCSV(link, "candidates.csv", () => toCSV([named, "lift", ...(sure ? ["confidence"] : []), ...candidates.columns],
      rows.map((c) => [c.row, c.lift, ...(sure ? [c.confidence] : []), ...c.values])));
    host.querySelector(".tools").append(link);
    return table;
  },

  number(host) {
    const { path } = dataOf(host);
    const best = Math.max(...path.objective, 1e-12), xs = path.size;
    const lines = [{ ys: path.objective.map((v) => v / best), kind: "in" }, { ys: path.separation, kind: "dashed" },
      { ys: path.false_share, kind: "out" }];
    whenResized(host, (width) => {
      const { svg, x, y } = lineChart({ width, height: 260, xs, lines, xTitle: "number of features", label: host.dataset.label });
      svg.append(make("line", { class: "leader", x1: x(path.n_features), x2: x(path.n_features), y1: y(0), y2: y(1) }),
        make("text", { class: "name", x: x(path.n_features), y: y(1) - 8, "text-anchor": "middle", text: `${path.n_features} selected` }));
      host.replaceChildren(svg);
    });
  },

  scores(host) {
    const methods = dataOf(host).methods.filter((m) => m.interval);
    const values = methods.flatMap((m) => [...m.scores, m.interval.low, m.interval.high]);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const pad = 0.04 * (most - least || 1);
    const [low, high] = [least - pad, most + pad];
    whenResized(host, (width) => {
      const [line, left] = [38, Math.min(170, width * 0.3)];
      const height = methods.length * line + 34;
      const x = (v) => left + between(v, low, high) * (width - left - 64);
      const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": host.dataset.label });
      for (const t of niceTicks(least, most, Math.max(2, width / 160))) {
        svg.append(make("line", { class: "grid", x1: x(t), x2: x(t), y1: 4, y2: height - 26 }),
          make("text", { class: "tick", x: x(t), y: height - 8, "text-anchor": "middle", text: short(t) }));
      }
      methods.forEach((m, i) => {
        const y = i * line + line / 2 + 2;
        svg.append(make("text", { class: "method", x: 0, y: y + 5, text: m.method }));
        m.scores.forEach((s, k) => svg.append(make("circle", { class: "split", cx: x(s), cy: y + ((k % 5) - 2) * 2.4, r: 2.6 })));
        svg.append(make("line", { class: "range", x1: x(m.interval.low), x2: x(m.interval.high), y1: y, y2: y }),
          make("circle", { class: "mean", cx: x(m.interval.mean), cy: y, r: 5.5 }),
          make("text", { class: "figure", x: width, y: y + 5, "text-anchor": "end", text: m.interval.mean.toFixed(3) }));
      });
      host.replaceChildren(svg);
    });
  },

  choices(host) {
    const { rivals, methods: all } = dataOf(host);
    const methods = all.filter((m) => rivals.includes(m.method));
    const names = [...new Set(methods.flatMap((m) => m.selected))];
    const rows = names.map((name) => {
      const places = methods.map((m) => m.selected.indexOf(name));
      return { name, places, votes: places.filter((p) => p >= 0).length };
    });
    const columns = [
      { key: "name", title: "Feature", value: (f) => f.name, kind: "feature", cell: (f) => [make("span", { class: "label", text: f.name })] },
      { key: "votes", title: "Selected by", value: (f) => f.votes, first: "descending", kind: "measured",
        cell: (f) => [bar(f.votes / methods.length, "in"), make("span", { class: "figure", text: `${f.votes} of ${methods.length}` })] },
      ...methods.map((m, j) => ({ key: `m${j}`, title: m.method, value: (f) => (f.places[j] < 0 ? null : f.places[j]), numeric: true,
        cell: (f) => (f.places[j] < 0 ? make("span", { class: "quiet", text: "–" }) : [make("span", { class: "rank", text: String(f.places[j] + 1) }),
          ...(m.frequency ? [make("span", { class: "quiet", text: ` ${percent(m.frequency[f.name] ?? 0)}` })] : [])]) })),
    ];
    return new DataTable(host, { caption: "Selected features, with their rank by each method", noun: "features", columns, rows, sortBy: "votes",
      order: "descending", pageSize: 15, search: { label: "Find a feature", text: (f) => f.name },
      filters: [{ label: "selected by all", keep: (f) => f.votes === methods.length }] });
  },
};

function copyButton(button) {
  const source = document.getElementById(button.dataset.copy);
  button.addEventListener("click", async () => {
    getSelection().selectAllChildren(source);
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected: press Ctrl+C";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}

for (const node of document.querySelectorAll("[data-result]")) {
  node.result = JSON.parse(node.querySelector('script[type="application/json"]').textContent);
}
for (const host of document.querySelectorAll("[data-part]")) parts[host.dataset.part](host);
for (const button of document.querySelectorAll("[data-copy]")) copyButton(button);
