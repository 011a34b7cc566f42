// Put the page together.  `jounceReady` is when that was done, in ms since the page was opened.

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
for (const name of ["ellipsoids", "paths"]) {
  document.getElementById(name).addEventListener("change", (event) => {
    view[name] = event.target.checked;
    view.draw();
  });
}
clock.changed();

// Plotly comes last on the page, so that robot and tables are there before it has been read.
document.addEventListener("DOMContentLoaded", () => {
  panel.watch(() => {
    window.jounceReady = performance.now();
  });
});
