// Curves over time.  Plotly draws lines and axes, when a plot first comes into view; cursors and
// values under the cursor are elements of the page, so that moving them redraws nothing.

const MARGIN = { l: 62, r: 24, t: 8, b: 26 };
const GRID = "#e5e9f0";
const BAND = 0.025; // of the height of a plot
const BANDS = 0.2; // all of them together, at most
const FAR = 4; // times the largest value
const PRINTED = 500; // px, beside the names on a page of paper

class TimePlot {
  constructor(plot, panel) {
    this.plot = plot;
    this.panel = panel;
    this.drawn = false;
    this.visible = false;
    this.cursor = element("div", { className: "cursor" });
    this.pointer = element("div", { className: "pointer", hidden: true });
    this.area = element("div", { className: "area" }, this.cursor, this.pointer);
    this.values = plot.lines.map(() => element("span", { className: "value" }));
    this.rows = plot.lines.map((line, i) => this.row(line, this.values[i]));
    const unit = element("span", { className: "unit" }, ` [${plot.unit}]`);
    const save = element("button", { type: "button", className: "save", title: "Save as a picture" }, "PNG");
    save.addEventListener("click", () => this.save());
    const caption = element("figcaption", {}, plot.title, unit, save);
    const readout = element("ul", { className: "readout" }, ...this.rows);
    this.figure = element("figure", { className: "plot" }, caption, this.area, readout);
    this.listen();
  }

  row(line, value) {
    const mark = element("span", { className: "mark" });
    mark.style.borderTopColor = colour(line.hue);
    mark.style.borderTopStyle = dash(line) === "solid" ? "solid" : dash(line) === "dot" ? "dotted" : "dashed";
    const name = element("span", { className: "name", title: line.name }, ...broken(line.name));
    if (!this.plot.joints) return element("li", {}, mark, name, value);
    const button = element("button", { type: "button", title: `Single out ${line.name}` }, mark, name, value);
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => focus.toggle(line.hue));
    return element("li", {}, button);
  }

  // The values of every line, one a time.
  get curves() {
    if (!this.cut) {
      const [all, count] = [array(this.plot.values), this.panel.times.length];
      this.cut = this.plot.lines.map((_, i) => all.subarray(i * count, (i + 1) * count));
    }
    return this.cut;
  }

  get largest() {
    return this.curves.reduce((found, y) => y.reduce((m, x) => Math.max(m, Math.abs(x)), found), 0);
  }

  draw() {
    if (this.drawn) return;
    this.drawn = true;
    const traces = this.plot.lines.map((line, i) => this.trace(line, i));
    Plotly.newPlot(this.area, traces, this.layout(), { displayModeBar: false, responsive: true });
    this.area.on("plotly_relayout", () => this.panel.zoom(this));
    this.area.append(this.cursor, this.pointer);
    this.place();
  }

  // A picture of the plot alone, with what the page says beside it: title, unit and names.
  picture() {
    this.draw();
    const data = this.plot.lines.map((line, i) => ({
      ...this.trace(line, i), name: escaped(line.name), opacity: 1, showlegend: true,
    }));
    const { title, unit } = this.plot;
    const layout = { ...this.layout(), title: { text: escaped(`${title} [${unit}]`) }, showlegend: true };
    return { data, layout: { ...layout, width: 1200, height: 600, margin: { l: 80, r: 24, t: 60, b: 40 } } };
  }

  save() {
    const figure = this.picture();
    const filename = `${content.title.slice(0, 40)} ${this.plot.title}`.replace(/[^\p{L}\p{N}]+/gu, "_");
    return Plotly.downloadImage(figure, { format: "png", width: 1200, height: 600, scale: 2, filename });
  }

  trace(line, i) {
    return {
      x: this.panel.times,
      y: this.curves[i],
      type: "scatter",
      mode: "lines",
      line: { color: colour(line.hue), width: 1.6, dash: dash(line) },
      opacity: this.opacity(line),
    };
  }

  layout() {
    const axis = { gridcolor: GRID, linecolor: GRID, zerolinecolor: "#b6c0cf", tickfont: { size: 11 } };
    return {
      margin: MARGIN,
      showlegend: false,
      hovermode: false,
      dragmode: "zoom",
      paper_bgcolor: "#ffffff",
      plot_bgcolor: "#ffffff",
      font: { family: "system-ui, sans-serif", color: "#475569" },
      xaxis: { ...axis, range: [...this.panel.range], zeroline: false, ticksuffix: " s", showticksuffix: "last" },
      yaxis: { ...axis, fixedrange: true, exponentformat: "power" },
      shapes: this.shapes(),
    };
  }

  opacity(line) {
    return !this.plot.joints || focus.joint === null || line.hue === focus.joint ? 1 : 0.12;
  }

  // When a curve is on its limit: a band in its colour along the lower edge, each curve in a lane of its own.
  bands() {
    const shown = this.plot.bands.filter(([i]) => this.opacity(this.plot.lines[i]) === 1);
    const lanes = [...new Set(shown.map(([i]) => i))].sort((a, b) => a - b);
    const height = Math.min(BAND, BANDS / lanes.length);
    return shown.map(([i, from, to]) => {
      const [lane, color] = [lanes.indexOf(i), colour(this.plot.lines[i].hue)];
      return {
        type: "rect", yref: "paper", y0: lane * height, y1: (lane + 1) * height, x0: from, x1: to, layer: "below",
        fillcolor: color, line: { color, width: 1 },
      };
    });
  }

  shapes() {
    return [...this.bands(), ...this.bounds()];
  }

  // The limits of what is singled out, unless so far away that the curves would become flat.
  bounds() {
    if (!this.plot.joints || focus.joint === null) return [];
    const lines = this.plot.lines.filter((line) => line.hue === focus.joint);
    const farthest = FAR * this.largest;
    return lines.flatMap((line) =>
      [line.low, line.high].filter((y) => y !== null && Math.abs(y) <= farthest).map((y) => ({
        type: "line", xref: "paper", x0: 0, x1: 1, y0: y, y1: y,
        line: { color: colour(line.hue), width: 1, dash: "4px,3px" },
      })));
  }

  refocus() {
    this.plot.lines.forEach((line, i) => {
      const button = this.rows[i].querySelector("button");
      if (button) button.setAttribute("aria-pressed", String(line.hue === focus.joint));
      this.rows[i].classList.toggle("faded", this.opacity(line) < 1);
    });
    if (!this.drawn || !this.plot.joints) return;
    const opacity = this.plot.lines.map((line) => this.opacity(line));
    Plotly.update(this.area, { opacity }, { shapes: this.shapes() });
  }

  // From time to pixels of the area, and back.
  pixels(t) {
    const [a, b] = this.panel.range;
    return MARGIN.l + ((t - a) / (b - a)) * (this.area.clientWidth - MARGIN.l - MARGIN.r);
  }

  timeAt(x) {
    const [a, b] = this.panel.range;
    const share = (x - MARGIN.l) / (this.area.clientWidth - MARGIN.l - MARGIN.r);
    return share < 0 || share > 1 ? null : a + share * (b - a);
  }

  // Put both cursors, and the values of the time that is shown.
  place() {
    if (!this.visible) return;
    const { times, clock } = this.panel;
    this.mark(this.cursor, clock.time);
    this.mark(this.pointer, clock.hover);
    const { index, share } = locate(times, clock.shown);
    const next = Math.min(index + 1, times.length - 1);
    this.values.forEach((value, i) => {
      const y = this.curves[i];
      const text = shortNumber((1 - share) * y[index] + share * y[next]);
      if (value.textContent !== text) value.textContent = text;
    });
  }

  mark(line, t) {
    const [a, b] = this.panel.range;
    line.hidden = t === null || t < a || t > b;
    if (!line.hidden) line.style.transform = `translateX(${this.pixels(t)}px)`;
  }

  listen() {
    const { clock } = this.panel;
    let pressed = null;
    const inside = (event) => this.timeAt(event.clientX - this.area.getBoundingClientRect().left);
    this.area.addEventListener("pointermove", (event) => clock.point(inside(event)));
    this.area.addEventListener("pointerleave", () => clock.point(null));
    this.area.addEventListener("pointerdown", (event) => (pressed = event.clientX), true);
    window.addEventListener("pointerup", (event) => {
      const isClick = pressed !== null && Math.abs(event.clientX - pressed) < 4;
      const t = isClick ? inside(event) : null;
      pressed = null;
      if (t !== null) clock.set(t);
    });
  }
}

// A name that may be cut after its parts rather than anywhere.
function broken(name) {
  return name.split(/(?<=[_/.:-])/).flatMap((part, i) => (i ? [element("wbr"), part] : [part]));
}

// Names in a title of Plotly are text, whatever tags they look like.
function escaped(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

// All plots: the same times, the same range of time, the same cursor.
class Panel {
  constructor(clock) {
    this.clock = clock;
    this.times = array(content.time);
    this.range = [clock.start, clock.end];
    this.plots = [];
    focus.listeners.push(() => this.plots.forEach((plot) => plot.refocus()));
    window.addEventListener("resize", () => this.place());
    window.addEventListener("beforeprint", () => this.fit(PRINTED));
    window.addEventListener("afterprint", () => this.fit(null));
  }

  add(plot) {
    const made = new TimePlot(plot, this);
    this.plots.push(made);
    return made.figure;
  }

  // Draw each plot when it comes into view; call `ready` when the first ones are there.
  watch(ready) {
    const owner = new Map(this.plots.map((plot) => [plot.figure, plot]));
    let first = true;
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const plot = owner.get(target);
        plot.visible = isIntersecting;
        if (isIntersecting) plot.draw();
        plot.place();
      }
      if (first) ready();
      first = false;
    }, { rootMargin: "100px 0px" });
    owner.forEach((_, figure) => observer.observe(figure));
    if (!this.plots.length) ready();
  }

  // Draw all plots as wide as paper has room, or as the page has (null).
  fit(width) {
    for (const plot of this.plots) {
      if (width !== null) plot.draw();
      if (plot.drawn) Plotly.relayout(plot.area, width === null ? { autosize: true } : { width, height: 208 });
      if (width !== null) plot.visible = true;
    }
    this.place();
  }

  // A plot was zoomed: all others follow.
  zoom(source) {
    const [a, b] = source.area.layout.xaxis.range.map(Number);
    if (a === this.range[0] && b === this.range[1]) return;
    this.range = [a, b];
    for (const plot of this.plots) {
      if (plot.drawn && plot !== source) Plotly.relayout(plot.area, { "xaxis.range": [a, b] });
    }
    this.place();
  }

  place() {
    for (const plot of this.plots) plot.place();
  }
}
