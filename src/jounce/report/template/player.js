// The time that everything shows: that of the slider, or while the mouse is over a plot the
// time under the mouse.

class Clock {
  constructor(times) {
    this.start = times[0];
    this.end = times[times.length - 1];
    this.time = this.start;
    this.hover = null;
    this.playing = false;
    this.listeners = [];
  }

  get shown() {
    return this.hover === null ? this.time : this.hover;
  }

  set(t) {
    this.time = Math.min(this.end, Math.max(this.start, t));
    this.changed();
  }

  // The mouse is over time t of a plot, or over none (null); a motion that plays goes on.
  point(t) {
    if (this.playing) t = null;
    if (t === this.hover) return;
    this.hover = t;
    this.changed();
  }

  changed() {
    for (const listener of this.listeners) listener(this);
  }

  toggle() {
    this.playing = !this.playing;
    this.hover = null;
    if (this.playing && this.time >= this.end) this.time = this.start;
    let before = null;
    const step = (now) => {
      if (!this.playing) return;
      const elapsed = before === null ? 0 : (now - before) / 1000;
      before = now;
      const next = this.time + elapsed * this.speed;
      this.set(next > this.end ? this.start : next); // again from the start
      requestAnimationFrame(step);
    };
    if (this.playing) requestAnimationFrame(step);
    this.changed();
  }

  get speed() {
    return Number(document.getElementById("speed").value);
  }
}

function connectPlayer(clock) {
  const [play, slider, output] = ["play", "slider", "clock"].map((id) => document.getElementById(id));
  const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(clock.end - clock.start || 1))));
  slider.min = clock.start;
  slider.max = clock.end;
  slider.step = (clock.end - clock.start) / 1000 || 1;
  slider.addEventListener("input", () => {
    if (clock.playing) clock.toggle();
    clock.set(Number(slider.value));
  });
  play.addEventListener("click", () => clock.toggle());
  clock.listeners.push(() => {
    const text = `${clock.shown.toFixed(digits)} s`;
    slider.value = clock.time;
    slider.setAttribute("aria-valuetext", text);
    output.textContent = text;
    play.textContent = clock.playing ? "❚❚" : "▶";
    play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
  });
}
