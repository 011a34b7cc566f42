// Everything on the page that is text: facts, sections, tables.

function fillHeader() {
  const facts = content.facts.map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value)));
  document.getElementById("facts").append(...facts);
}

function cellElement(cell, clock) {
  const made = element("td", { className: cell.state });
  if (cell.time === null) made.append(cell.text);
  else {
    const title = `Go to t = ${shortNumber(cell.time)} s`;
    const button = element("button", { type: "button", title }, cell.text);
    button.addEventListener("click", () => clock.set(cell.time));
    made.append(button);
  }
  if (cell.limit) {
    const share = cell.share === null ? "" : `${Math.round(100 * cell.share)} % `;
    made.append(element("span", { className: "use" }, share + cell.limit));
  }
  if (cell.share !== null) {
    const bar = element("span", { className: "bar" }, element("span"));
    bar.firstChild.style.width = `${Math.min(100, 100 * cell.share)}%`;
    made.append(bar);
  }
  return made;
}

function tableElement({ headings, rows }, clock) {
  const heads = headings.map((text) => element("th", { scope: "col" }, text));
  const lines = rows.map(([name, ...cells]) =>
    element("tr", {}, element("th", { scope: "row" }, name.text), ...cells.map((cell) => cellElement(cell, clock))));
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...lines));
  return element("div", { className: "table" }, table);
}

function fillSections(clock, panel) {
  const contents = element("ul");
  content.sections.forEach((section, i) => {
    const id = `section-${i}`;
    const heading = element("h2", { id: `${id}-heading` }, section.title);
    const made = element("section", { id }, heading);
    made.setAttribute("aria-labelledby", heading.id);
    if (section.note) made.append(element("p", { className: "note" }, section.note));
    if (section.table) made.append(tableElement(section.table, clock));
    made.append(...section.plots.map((plot) => panel.add(plot)));
    document.getElementById("sections").append(made);
    contents.append(element("li", {}, element("a", { href: `#${id}` }, section.title)));
  });
  document.getElementById("contents").append(contents);
}
