// The data of the page: `content` says what there is, `array(i)` gives the numbers.

const content = JSON.parse(document.getElementById("content").textContent);

const decoded = new Map();

function array(index) {
  if (!decoded.has(index)) {
    const element = document.getElementById(`array-${index}`);
    const text = atob(element.textContent);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    const Kind = { Float32Array, Float64Array, Int32Array }[element.dataset.kind];
    decoded.set(index, new Kind(bytes.buffer));
    element.remove(); // its text is not needed twice
  }
  return decoded.get(index);
}

// The interval [i, i + 1] of increasing times that t is in, and how far along it.
function locate(times, t) {
  let low = 0;
  let high = times.length - 1;
  if (high < 1 || t <= times[0]) return { index: 0, share: 0 };
  if (t >= times[high]) return { index: high - 1, share: 1 };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return { index: low, share: (t - times[low]) / (times[low + 1] - times[low]) };
}

const PALETTE = [
  "#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed",
  "#0891b2", "#db2777", "#65a30d", "#475569", "#92400e",
];
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];

const colour = (hue) => PALETTE[hue % PALETTE.length];
// Joints beyond the colours, and the coordinates of one joint, differ by their dashes.
const dash = (line) => DASHES[(line.dash + Math.floor(line.hue / PALETTE.length)) % DASHES.length];

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function shortNumber(x) {
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-4) return x.toExponential(2).replace("-", "−");
  return Number(x.toPrecision(4)).toString().replace("-", "−");
}

// What is singled out: the number of a joint, or null; and who wants to know.
const focus = {
  joint: null,
  listeners: [],
  toggle(joint) {
    this.joint = this.joint === joint ? null : joint;
    for (const listener of this.listeners) listener(this.joint);
  },
};
