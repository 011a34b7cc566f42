// Put the page together.  `jounceOpen` is when robot and tables were on the screen, `jounceReady`
// when the first curves were, in ms since the page was opened; `jouncePoses()` is where bodies are.

const clock = new Clock(array(content.time));
const view = new RobotView(document.getElementById("robot"));
const panel = new Panel(clock);

fillHeader();
fillSections(clock, panel);
connectPlayer(clock);
view.listen();

clock.listeners.push(() => {
  view.time = clock.shown;
  view.draw();
  panel.place();
});
document.getElementById("shapes").parentElement.hidden = !view.mesh.count;
for (const name of ["shapes", "ellipsoids", "paths"]) {
  document.getElementById(name).checked = view[name];
  document.getElementById(name).addEventListener("change", (event) => {
    view[name] = event.target.checked;
    view.draw();
  });
}
clock.changed();
window.jouncePoses = () => view.placed();

// Plotly takes longer to start than all the rest: it is run once robot and tables are on the screen.
window.addEventListener("load", () => {
  requestAnimationFrame(() => setTimeout(() => {
    window.jounceOpen = performance.now();
    const script = document.createElement("script");
    script.textContent = document.getElementById("plotly").textContent;
    document.head.append(script);
    panel.watch(() => {
      window.jounceReady = performance.now();
    });
  }));
});
