"use strict";
/* Tables that can be sorted and searched, and the map of rows. All text is inserted as text, never as markup. */

const whole = new Intl.NumberFormat("en");
const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)}%`;
const short = (value) => {
  if (value === null || typeof value === "string") return value ?? "–";
  const size = Math.abs(value);
  if (Number.isInteger(value) || (size >= 1e3 && size < 1e9)) return whole.format(Math.round(value));
  return size >= 1e9 || size < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
};

function make(tag, attributes = {}, ...children) {
  const isDrawing = ["svg", "g", "circle", "title"].includes(tag);
  const node = isDrawing ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

/* columns: {title, value(row), cell(row), kind: class of its cells, falls: whether it is first sorted downwards};
   rows are searched by the column `find`. */
function dataTable(host, { caption, noun, columns, rows, find, sortBy, isChosen = () => false }) {
  let sorted = sortBy, falls = Boolean(sortBy.falls), limit = 20, query = "";
  const body = make("tbody"), status = make("p", { role: "status" });
  const more = make("button", { type: "button", onclick: () => { limit *= 4; draw(); } }, "Show more");
  const box = make("input", { type: "search", placeholder: `Find a ${noun}`, "aria-label": `Find a ${noun}`, oninput: () => {
    query = box.value.trim().toLowerCase();
    draw();
  } });
  const heads = columns.map((column) => make("th", { scope: "col", class: column.kind },
    make("button", { type: "button", class: "sort", onclick: () => {
      falls = column === sorted ? !falls : Boolean(column.falls);
      sorted = column;
      draw();
    } }, column.title)));

  function compare(a, b) {
    const [x, y] = [sorted.value(a), sorted.value(b)];
    if (x === null || y === null) return (x === null) - (y === null);
    if (typeof x !== typeof y) return (typeof x === "string") - (typeof y === "string");
    return (falls ? -1 : 1) * (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y);
  }

  function draw() {
    const found = rows.filter((row) => String(find.value(row)).toLowerCase().includes(query)).sort(compare);
    body.replaceChildren(...found.slice(0, limit).map((row) => make("tr", { class: isChosen(row) ? "chosen" : null },
      ...columns.map(({ kind, cell, value }) => make("td", { class: kind }, cell ? cell(row) : short(value(row)))))));
    heads.forEach((head, i) => {
      head.setAttribute("aria-sort", columns[i] !== sorted ? "none" : falls ? "descending" : "ascending");
    });
    status.textContent = `${found.length < rows.length ? `${whole.format(found.length)} of ` : ""}${whole.format(rows.length)} ${noun}s`;
    more.hidden = found.length <= limit;
  }

  const table = make("table", { class: "data" }, make("thead", {}, make("tr", {}, ...heads)), body);
  const tools = make("div", { class: "tools" }, box);
  host.append(tools, make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table),
    make("div", { class: "tools" }, status, more));
  draw();
  return tools;
}

/* A text that a spreadsheet would run as a formula gets a quote in front (OWASP, CSV injection). */
function toCSV(rows) {
  const tame = (value) => (typeof value === "string" && /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : String(value));
  const quote = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => row.map((value) => quote(tame(value))).join(",") + "\r\n").join("");
}

const parts = {
  ranking(host, { features, lines, score_name: scoreName }) {
    const lineOf = (f) => lines[f.column];
    const name = { title: "Feature", kind: "feature", value: (f) => f.name };
    const rank = { title: "Rank", kind: "number", value: (f) => f.rank };
    const columns = [rank, name, { title: "Selected", falls: true, value: (f) => Number(f.selected), cell: (f) => (f.selected ? "yes" : "") }];
    if (features.some((f) => f.cost !== null)) columns.push({ title: "Cost", kind: "number", value: (f) => f.cost });
    if (features.some((f) => lineOf(f).share !== null)) {
      columns.push({ title: "Selected again", falls: true, value: (f) => lineOf(f).share,
        cell: (f) => [lineOf(f).again, lineOf(f).twin].filter(Boolean).join(", ") });
    }
    columns.push({ title: scoreName === "probability" ? "Search probability" : "Score", kind: "number", falls: true, value: (f) => f.score });
    dataTable(host, { caption: "All features", noun: "feature", columns, rows: features, find: name, sortBy: rank, isChosen: (f) => f.selected });
  },

  candidates(host, { candidates: found }) {
    const isSure = found.confidence.length > 0;
    const row = { title: found.row_name || "row", kind: "number", value: (i) => found.row[i], cell: (i) => String(found.row[i]) };
    const lift = { title: "lift", kind: "number", falls: true, value: (i) => found.lift[i], cell: (i) => `${Number(found.lift[i].toPrecision(2))}×` };
    const confidence = { title: "confidence", kind: "number", falls: true, value: (i) => found.confidence[i], cell: (i) => percent(found.confidence[i]) };
    const columns = [row, lift, ...(isSure ? [confidence] : []),
      ...found.columns.map((title, j) => ({ title, kind: "number", falls: true, value: (i) => found.values[i][j] }))];
    const rows = [...found.row.keys()];
    const tools = dataTable(host, { caption: "Rows to look at", noun: "row", columns, rows, find: row, sortBy: lift });
    const text = toCSV([columns.map(({ title }) => title), ...rows.map((i) => columns.map(({ value }) => value(i)))]);
    const href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    tools.append(make("a", { class: "button", href, download: "candidates.csv" }, "Download CSV"));
  },

  /* Unlabelled rows below, candidates above them, known positives on top. */
  map(host, { view }) {
    const legend = make("fieldset", { class: "keys" });
    const svg = make("svg", { class: "map", role: "img", "aria-label": host.dataset.label });
    const scale = (values) => {
      const [low, high] = [Math.min(...values) / 2, Math.max(...values) / 2];  // halved: the difference may overflow
      return (value) => 2 + 96 * (high > low ? (value / 2 - low) / (high - low) : 0.5);
    };
    const [x, y] = [scale(view.x), scale(view.y)];
    for (const [kind, name, r] of [[0, "unlabelled", 2], [2, "candidate", 3], [1, "known positive", 4.5]]) {
      const rows = [...view.kind.keys()].filter((i) => view.kind[i] === kind);
      if (!rows.length) continue;
      const group = make("g", { class: `k${kind}` }, ...rows.map((i) => make("circle",
        { cx: `${x(view.x[i])}%`, cy: `${100 - y(view.y[i])}%`, r }, make("title", {}, `row ${view.row[i]}, ${name}`))));
      const box = make("input", { type: "checkbox", checked: true, onchange: () => { group.style.display = box.checked ? "" : "none"; } });
      legend.prepend(make("label", {}, box, make("i", { class: `k${kind}` }), `${name} (${whole.format(rows.length)})`));
      svg.append(group);
    }
    host.append(legend, svg);
  },

  choices(host, { rivals, methods: all }) {
    const methods = all.filter((m) => rivals.includes(m.method));
    const name = { title: "Feature", kind: "feature", value: (f) => f };
    const votes = { title: "Selected by", falls: true, value: (f) => methods.filter((m) => m.selected.includes(f)).length,
      cell: (f) => `${votes.value(f)} of ${methods.length}` };
    const rankOf = (m, f) => m.selected.indexOf(f) + 1 || null;
    const shareOf = (m, f) => (m.frequency && rankOf(m, f) ? ` (${percent(m.frequency[f] ?? 0)})` : "");
    const columns = [name, votes, ...methods.map((m) => ({ title: m.method, kind: "number", value: (f) => rankOf(m, f),
      cell: (f) => `${short(rankOf(m, f))}${shareOf(m, f)}` }))];
    const rows = [...new Set(methods.flatMap((m) => m.selected))];
    dataTable(host, { caption: "Rank of each selected feature by each method", noun: "feature", columns, rows, find: name, sortBy: votes });
  },
};

for (const article of document.querySelectorAll("[data-result]")) {
  const result = JSON.parse(article.querySelector('script[type="application/json"]').textContent);
  for (const host of article.querySelectorAll("[data-part]")) parts[host.dataset.part](host, result);
}
