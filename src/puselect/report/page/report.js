"use strict";
/* Puts the tables and charts into the page; each part reads the data of the result it stands in. */

const dataOf = (node) => node.closest("[data-result]").result;

const parts = {
  ranking(host) {
    const { features, score_name: scoreName, again } = dataOf(host);
    const scores = features.map((f) => f.score).filter((v) => v !== null);
    const low = Math.min(0, ...scores), high = scoreName === "probability" ? 1 : Math.max(...scores, 1e-12);
    const columns = [
      { key: "rank", title: "Rank", value: (f) => f.rank, numeric: true },
      { key: "name", title: "Feature", value: (f) => f.name, kind: "feature",
        cell: (f) => [make("span", { class: "label", text: f.name }),
          ...(f.members.length ? [make("span", { class: "quiet", text: ` (${f.members.length} columns)` })] : [])] },
      { key: "score", title: scoreName === "probability" ? "Probability" : "Score", value: (f) => f.score, first: "descending",
        kind: "measured", cell: (f) => [bar(between(f.score ?? low, low, high), f.selected ? "in" : "out"),
          make("span", { class: "figure", text: scoreName === "probability" && f.score !== null ? f.score.toFixed(3) : short(f.score) })] },
      { key: "selected", title: "Selected", value: (f) => Number(f.selected), first: "descending",
        cell: (f) => (f.selected ? make("span", { class: "tag in", text: "selected" }) : make("span", { class: "tag", text: "no" })) },
    ];
    if (features.some((f) => f.cost !== null)) {
      columns.splice(3, 0, { key: "cost", title: "Cost", value: (f) => f.cost, numeric: true });
    }
    if (again) {
      columns.push({ key: "again", title: "Selected again", value: (f) => again[f.column].share, first: "descending", kind: "measured",
        cell: (f) => [bar(again[f.column].share, f.selected ? "in" : "out"), make("span", { class: "figure", text: again[f.column].count }),
          ...(again[f.column].note ? [make("div", { class: "quiet", text: again[f.column].note })] : [])] });
    }
    return new DataTable(host, { caption: "Ranking of all features", noun: "features", columns, rows: features, sortBy: "rank",
      order: "ascending", search: { label: "Find a feature", text: (f) => f.name },
      filters: [{ label: "selected only", keep: (f) => f.selected }], rowClass: (f) => (f.selected ? "chosen" : "") });
  },

  tracks(host) {
    const { search, features } = dataOf(host);
    return new Tracks(host, search, features);
  },

  clusters(host) {
    const { clusterings } = dataOf(host);
    const body = make("div");
    const show = (number) => {
      const rows = clusterings[number].clusters.map((cluster, i) => ({ ...cluster, share: cluster.labelled / cluster.size, i }));
      rows.sort((a, b) => b.share - a.share || b.size - a.size).forEach((row, place) => { row.number = place + 1; });
      const largest = Math.max(...rows.map((row) => row.size));
      new DataTable(body, { caption: `Clusters of clustering ${number + 1}`, noun: "clusters", rows, sortBy: "share", order: "descending",
        pageSize: 50, rowClass: (c) => (c.positive ? "chosen" : ""), columns: [
          { key: "number", title: "Cluster", value: (c) => c.number, numeric: true },
          { key: "size", title: "Rows", value: (c) => c.size, first: "descending", kind: "measured",
            cell: (c) => [bar(c.size / largest, "out"), make("span", { class: "figure", text: short(Math.round(c.size)) })] },
          { key: "labelled", title: "Known positives", value: (c) => c.labelled, first: "descending", numeric: true },
          { key: "share", title: "Share known", value: (c) => c.share, first: "descending", kind: "measured",
            cell: (c) => [bar(c.share, c.positive ? "hot" : "out"), make("span", { class: "figure", text: percent(c.share) })] },
          { key: "positive", title: "Taken as", value: (c) => Number(c.positive), first: "descending",
            cell: (c) => (c.positive ? make("span", { class: "tag hot", text: "positive" }) : make("span", { class: "tag", text: "other" })) },
        ] });
    };
    const group = make("div", { class: "switch", role: "group", "aria-label": "Which of the final clusterings to show" });
    clusterings.forEach((clustering, i) => {
      const button = make("button", { type: "button", "aria-pressed": String(i === 0), text: String(i + 1),
        "aria-label": `Clustering ${i + 1}, objective ${short(clustering.score)}`, title: `objective ${short(clustering.score)}` });
      button.addEventListener("click", () => {
        for (const other of group.children) other.setAttribute("aria-pressed", String(other === button));
        show(i);
      });
      group.append(button);
    });
    host.append(make("div", { class: "switchline" }, make("span", { class: "quiet", text: "Clustering" }), group), body);
    show(0);
  },

  map(host) {
    const map = new RowMap(host, dataOf(host).view);
    document.addEventListener("theme", () => map.draw());
    return map;
  },

  candidates(host) {
    const { candidates, standing } = dataOf(host);
    const vouched = standing === "passed", sure = candidates.confidence.length > 0;
    const rows = candidates.row.map((row, i) => ({ row, lift: candidates.lift[i], confidence: candidates.confidence[i], values: candidates.values[i] }));
    const columns = [
      { key: "row", title: candidates.row_name || "Row", value: (c) => c.row, numeric: true, cell: (c) => String(c.row) },
      { key: "lift", title: "Lift", value: (c) => c.lift, numeric: true, first: "descending", cell: (c) => `${c.lift.toFixed(1)}×` },
      ...(sure ? [{ key: "confidence", title: vouched ? "Confidence" : "Unchecked confidence", value: (c) => c.confidence, first: "descending", kind: "measured",
        cell: (c) => [bar(c.confidence, vouched ? "in" : "out"), make("span", { class: vouched ? "figure" : "figure quiet", text: percent(c.confidence) })] }] : []),
      ...candidates.columns.map((name, j) => ({ key: `value${j}`, title: name, value: (c) => c.values[j], numeric: true, first: "descending",
        cell: (c) => (typeof c.values[j] === "string" ? c.values[j] : short(c.values[j])) })),
    ];
    const table = new DataTable(host, { caption: "Candidate hidden positives", noun: "rows", columns, rows, sortBy: "lift",
      order: "descending", pageSize: 12, search: { label: "Find a row", text: (c) => String(c.row) },
      filters: sure ? [{ label: "confidence of 50% or more", keep: (c) => c.confidence >= 0.5 }] : [] });
    const link = make("a", { class: "button" }, "Download CSV");
    offerCSV(link, "candidates.csv", () => toCSV([candidates.row_name || "row", "lift", ...(sure ? ["confidence"] : []), ...candidates.columns],
      rows.map((c) => [c.row, c.lift, ...(sure ? [c.confidence] : []), ...c.values])));
    host.querySelector(".tools").append(link);
    return table;
  },

  objective(host) {
    const { search } = dataOf(host);
    const xs = search.step.map((step) => step * search.masks_per_step);
    whenResized(host, (width) => host.replaceChildren(lineChart({ width, height: 230, xTitle: "clusterings tried", yTitle: "objective",
      label: host.dataset.label, lines: [{ xs, ys: search.value, kind: "in" }, { xs, ys: search.best, kind: "dashed" }] }).svg));
  },

  number(host) {
    const { path } = dataOf(host);
    const best = Math.max(...path.objective, 1e-12), xs = path.size;
    const lines = [{ xs, ys: path.objective.map((v) => v / best), kind: "in" }, { xs, ys: path.separation, kind: "dashed" },
      { xs, ys: path.false_share, kind: "out" }];
    whenResized(host, (width) => {
      const { svg, x, y } = lineChart({ width, height: 260, xTitle: "number of features", yHigh: 1, label: host.dataset.label, lines });
      svg.append(make("line", { class: "leader", x1: x(path.n_features), x2: x(path.n_features), y1: y(0), y2: y(1) }),
        make("text", { class: "name", x: x(path.n_features), y: y(1) - 8, "text-anchor": "middle", text: `${path.n_features} selected` }));
      host.replaceChildren(svg);
    });
  },

  settled(host) {
    const { search } = dataOf(host);
    const xs = search.step.map((step) => step * search.masks_per_step);
    whenResized(host, (width) => host.replaceChildren(lineChart({ width, height: 230, xTitle: "clusterings tried", yTitle: "features decided",
      yHigh: 1, asPercent: true, label: host.dataset.label, lines: [{ xs, ys: search.settled, kind: "in area" }] }).svg));
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
