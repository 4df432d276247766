"use strict";
/* Tables with sorting, filters and pages. All text is inserted as text, never as markup. */

const whole = new Intl.NumberFormat("en");
const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)}%`;
const short = (value) => {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (Number.isInteger(value) || (size >= 1e3 && size < 1e9)) return whole.format(Math.round(value));
  return size >= 1e9 || size < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
};

function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "g", "path", "line", "circle", "rect", "text", "title"].includes(tag);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

function bar(share, kind = "") {
  const fill = make("span", { class: `fill ${kind}` });
  fill.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
  return make("span", { class: "bar", "aria-hidden": "true" }, fill);
}

/* A long name is shortened in the middle: related names often differ only at the end. */
function twoEnds(name) {
  return make("span", { class: "ends" }, make("span", { text: name.slice(0, -8) }), make("span", { text: name.slice(-8) }));
}

/* columns: {key, title, value(row), cell(row) -> node or text, numeric, first: "ascending"|"descending"} */
class DataTable {
  constructor(host, { caption, noun, columns, rows, pageSize = 20, sortBy, order, search, filters = [], rowClass }) {
    Object.assign(this, { host, noun, columns, rows, pageSize, search, filters, rowClass });
    this.sort = { key: sortBy, order };
    this.page = 0;
    this.query = "";
    this.body = make("tbody");
    this.status = make("p", { class: "status", role: "status", "aria-live": "polite" });
    this.pager = make("div", { class: "pager" });
    this.heads = columns.map((column) => this.head(column));
    const table = make("table", { class: "data" },
      make("caption", { class: "hidden", text: caption }),
      make("thead", {}, make("tr", {}, ...this.heads)), this.body);
    const frame = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table);
    host.replaceChildren(this.tools(), frame, make("div", { class: "under" }, this.status, this.pager));
    this.draw();
  }

  head(column) {
    const arrow = make("span", { class: "arrow", "aria-hidden": "true" });
    const button = make("button", { type: "button", class: "sort", title: column.title, onclick: () => this.sortOn(column) },
      column.title.length > 20 ? twoEnds(column.title) : column.title, arrow);
    return make("th", { scope: "col", "data-key": column.key, class: column.numeric ? "number" : null }, button);
  }

  tools() {
    const tools = make("div", { class: "tools" });
    if (this.search) {
      const box = make("input", { type: "search", placeholder: this.search.label, "aria-label": this.search.label,
        autocomplete: "off", spellcheck: "false" });
      box.addEventListener("input", () => { this.query = box.value.trim().toLowerCase(); this.page = 0; this.draw(); });
      tools.append(box);
    }
    for (const filter of this.filters) {
      const box = make("input", { type: "checkbox", onchange: () => { filter.on = box.checked; this.page = 0; this.draw(); } });
      box.checked = Boolean(filter.on);
      tools.append(make("label", { class: "check" }, box, filter.label));
    }
    return tools;
  }

  sortOn(column) {
    const turned = this.sort.order === "ascending" ? "descending" : "ascending";
    this.sort = { key: column.key, order: this.sort.key === column.key ? turned : column.first || "ascending" };
    this.page = 0;
    this.draw();
  }

  visible() {
    const wanted = this.filters.filter((filter) => filter.on);
    const rows = this.rows.filter((row) =>
      (!this.query || this.search.text(row).toLowerCase().includes(this.query)) && wanted.every((f) => f.keep(row)));
    const { value } = this.columns.find((column) => column.key === this.sort.key);
    const sign = this.sort.order === "descending" ? -1 : 1;
    const compare = (a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return (x === null) - (y === null);
      if (typeof x !== typeof y) return (typeof x === "string") - (typeof y === "string");
      return sign * (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y);
    };
    return rows.sort(compare);
  }

  draw() {
    const rows = this.visible();
    const pages = Math.max(1, Math.ceil(rows.length / this.pageSize));
    this.page = Math.min(this.page, pages - 1);
    const shown = rows.slice(this.page * this.pageSize, (this.page + 1) * this.pageSize);
    this.body.replaceChildren(...shown.map((row) => this.line(row)));
    if (!shown.length) {
      this.body.append(make("tr", {}, make("td", { colspan: this.columns.length, class: "empty", text: "Nothing matches." })));
    }
    for (const head of this.heads) {
      head.setAttribute("aria-sort", head.dataset.key === this.sort.key ? this.sort.order : "none");
    }
    const total = whole.format(this.rows.length);
    const few = rows.length < this.rows.length ? `${whole.format(rows.length)} of ${total}` : total;
    this.status.textContent = `${few} ${this.noun}${pages > 1 ? ` · page ${this.page + 1} of ${pages}` : ""}`;
    this.turn(pages);
  }

  line(row) {
    const cells = this.columns.map((column) => {
      const content = column.cell ? column.cell(row) : short(column.value(row));
      const kind = [column.numeric ? "number" : "", column.kind || ""].join(" ").trim();
      return make("td", { class: kind || null }, ...(Array.isArray(content) ? content : [content]));
    });
    return make("tr", { class: this.rowClass ? this.rowClass(row) : null }, ...cells);
  }

  turn(pages) {
    const focused = this.pager.contains(document.activeElement) ? document.activeElement.dataset.go : null;
    const step = (label, go, to, off) => make("button", { type: "button", class: "small", "data-go": go, disabled: off,
      "aria-label": `${go} page`, onclick: () => { this.page = to; this.draw(); } }, label);
    this.pager.replaceChildren();
    if (pages < 2) return;
    this.pager.append(step("‹ Back", "previous", this.page - 1, this.page === 0),
      step("Next ›", "next", this.page + 1, this.page === pages - 1));
    if (focused) {
      const again = this.pager.querySelector(`[data-go="${focused}"]`);
      (again.disabled ? this.pager.querySelector("button:not(:disabled)") : again).focus();
    }
  }
}

/* A text that a spreadsheet would run as a formula gets a quote in front (OWASP, CSV injection). */
function toCSV(header, rows) {
  const tame = (value) => (typeof value === "string" && /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : String(value));
  const quote = (value) => (/[",\n\r]/.test(tame(value)) ? `"${tame(value).replaceAll('"', '""')}"` : tame(value));
  return [header, ...rows].map((row) => row.map(quote).join(",")).join("\r\n") + "\r\n";
}

function offerCSV(link, name, text) {
  link.href = URL.createObjectURL(new Blob([text()], { type: "text/csv;charset=utf-8" }));
  link.download = name;
}
