// The robot at a time: sticks, joints and ellipsoids, drawn far to near on a plain canvas.

const ROW = 7; // position, quaternion x y z w
const BACKGROUND = "#f6f8fb";

class RobotView {
  constructor(canvas) {
    this.canvas = canvas;
    this.bodies = content.drawing.bodies;
    this.ground = this.bodies.length - 1;
    this.times = array(content.pose_time);
    this.poses = array(content.poses);
    this.mesh = new Mesh(content.triangles);
    this.tracks = this.findTracks();
    const { center, radius, size, floor } = this.bounds();
    this.camera = new Camera(content.drawing.up, center, radius);
    this.floor = floor;
    const largest = this.bodies.reduce((r, body) => Math.max(r, ...(body.ellipsoid?.radii ?? [0])), 0);
    this.shapes = this.mesh.count > 0;
    // Those larger than the robot hide all, and come from doubtful inertias.
    this.ellipsoids = !this.shapes && largest <= size;
    this.paths = true;
    this.time = this.times[0];
  }

  // Rotation (three columns) and position of a body between two stored poses.
  pose(body, { index, share }) {
    if (body < 0 || body === this.ground) return { columns: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], p: [0, 0, 0] };
    const a = (index * this.ground + body) * ROW;
    const b = a + (share > 0 ? this.ground * ROW : 0);
    const x = new Float64Array(ROW);
    for (let k = 0; k < ROW; k++) x[k] = (1 - share) * this.poses[a + k] + share * this.poses[b + k];
    const n = Math.hypot(x[3], x[4], x[5], x[6]);
    const [i, j, k, w] = [x[3] / n, x[4] / n, x[5] / n, x[6] / n];
    const columns = [
      [1 - 2 * (j * j + k * k), 2 * (i * j + k * w), 2 * (i * k - j * w)],
      [2 * (i * j - k * w), 1 - 2 * (i * i + k * k), 2 * (j * k + i * w)],
      [2 * (i * k + j * w), 2 * (j * k - i * w), 1 - 2 * (i * i + j * j)],
    ];
    return { columns, p: [x[0], x[1], x[2]] };
  }

  // A small set of times that stands for the whole motion.
  moments(count) {
    const n = Math.min(count, this.times.length);
    const at = (k) => this.times[Math.round((k * (this.times.length - 1)) / Math.max(n - 1, 1))];
    return Array.from({ length: n }, (_, k) => at(k));
  }

  // Where the ends of the robot go: for every last body its furthest point, in time.
  findTracks() {
    const carriers = new Set(this.bodies.map((body) => body.parent));
    const moments = this.moments(600);
    const last = this.bodies.flatMap((body, i) => (i < this.ground && !carriers.has(i) ? [i] : []));
    return last.map((i) => {
      const body = this.bodies[i];
      const end = body.tips.length ? body.tips[body.tips.length - 1] : body.joint;
      const points = moments.map((t) => moved(this.pose(i, locate(this.times, t)), end));
      return { hue: i, times: moments, points };
    });
  }

  // A ball that holds the robot at all times, the radius of one that does at a time, and the
  // height of the floor.
  bounds() {
    const points = [];
    const extremes = this.mesh.extremes();
    let size = 0;
    for (const t of this.moments(60)) {
      const where = locate(this.times, t);
      const begin = points.length;
      this.bodies.forEach((body, i) => {
        const pose = this.pose(i, where);
        if (i < this.ground || this.standing) points.push(moved(pose, body.joint));
        for (const tip of body.tips) points.push(moved(pose, tip));
        if (body.ellipsoid) points.push(moved(pose, body.ellipsoid.center));
      });
      for (const { body, point } of extremes) points.push(moved(this.pose(body, where), point));
      size = Math.max(size, ball(points.slice(begin)).radius);
    }
    const { center, radius: farthest } = ball(points);
    const lowest = points.reduce((low, p) => Math.min(low, dot(p, content.drawing.up)), Infinity);
    return { center, radius: 1.1 * farthest || 1, size: size || 1, floor: this.standing ? 0 : lowest };
  }

  get standing() {
    return this.bodies.some((body) => body.held && body.parent < 0);
  }

  draw() {
    const { canvas, camera } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d");
    this.context = context;
    this.ratio = ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = BACKGROUND;
    context.fillRect(0, 0, width, height);
    context.lineCap = context.lineJoin = "round";
    camera.aim(width, height);
    this.drawFloor();
    if (this.paths) this.drawTracks();
    const poses = this.placed();
    if (this.shapes) this.mesh.draw(this, poses);
    const items = this.items(poses).sort((a, b) => a.near - b.near);
    for (const item of items) {
      context.globalAlpha = focus.joint === null || item.hue === focus.joint ? 1 : 0.18;
      item.paint();
    }
    context.globalAlpha = 1;
    this.drawCompass(height);
  }

  // Where every body is, as columns of its rotation and position.
  placed() {
    const where = locate(this.times, this.time);
    return this.bodies.map((_, i) => this.pose(i, where));
  }

  // Everything that must be sorted by depth.
  items(poses) {
    const items = [];
    this.bodies.forEach((body, i) => {
      const hue = i < this.ground ? i : null;
      const start = moved(poses[i], body.joint);
      const parent = body.parent < 0 ? this.ground : body.parent;
      if (body.held && !this.shapes) {
        const before = moved(poses[parent], this.bodies[parent].joint);
        items.push(this.stick(before, start, parent < this.ground ? parent : null));
      }
      for (const tip of this.shapes ? [] : body.tips) items.push(this.stick(start, moved(poses[i], tip), hue));
      for (const axis of body.axes) items.push(this.hinge(start, turned(poses[i], axis), hue));
      if (this.ellipsoids && body.ellipsoid) items.push(this.ellipsoid(poses[i], body.ellipsoid, hue));
    });
    return items;
  }

  stick(from, to, hue) {
    const [a, b] = [this.camera.project(from), this.camera.project(to)];
    const width = Math.max(2, 0.024 * this.camera.radius * 0.5 * (a.scale + b.scale));
    const paint = () => {
      this.stroke([a, b], width + 2, "#ffffff");
      this.stroke([a, b], width, "#64748b");
      this.stroke([a, b], 0.3 * width, "#cbd5e1");
    };
    return { near: 0.5 * (a.near + b.near), hue, paint };
  }

  // A joint: a short roll along its axis.
  hinge(point, axis, hue) {
    const [half, thick] = (this.shapes ? [0.06, 0.02] : [0.05, 0.058]).map((x) => x * this.camera.radius);
    const [a, b] = [-half, half].map((s) => this.camera.project(plus(point, axis, s)));
    const width = thick * a.scale;
    const paint = () => {
      this.context.lineCap = "butt";
      this.stroke([a, b], width + 2, "#ffffff");
      this.stroke([a, b], width, colour(hue));
      this.context.lineCap = "round";
    };
    return { near: this.camera.project(point).near + 0.01 * this.camera.radius, hue, paint };
  }

  ellipsoid(pose, { center, rotation, radii }, hue) {
    const middle = this.camera.project(moved(pose, center));
    const axes = [0, 1, 2].map((k) => turned(pose, rotation.map((row) => row[k] * radii[k])));
    const [a, b, d] = this.camera.outline(axes, middle.scale, 4);
    const shade = hue === null ? "#64748b" : colour(hue);
    const paint = () => {
      const { context, ratio } = this;
      context.save();
      context.setTransform(ratio * a, ratio * b, ratio * b, ratio * d, ratio * middle.x, ratio * middle.y);
      const light = context.createRadialGradient(-0.35, -0.4, 0.05, 0, 0, 1);
      light.addColorStop(0, "#ffffffb0");
      light.addColorStop(0.35, shade + "48");
      light.addColorStop(1, shade + "98");
      context.fillStyle = light;
      context.beginPath();
      context.arc(0, 0, 1, 0, 2 * Math.PI);
      context.fill();
      context.restore();
    };
    return { near: middle.near, hue, paint };
  }

  drawFloor() {
    const { camera } = this;
    const rough = camera.radius / 2.5;
    const decade = 10 ** Math.floor(Math.log10(rough));
    const step = decade * [5, 2, 1].find((m) => m * decade <= rough);
    const along = [camera.first, camera.second].map((axis) => Math.round(dot(camera.target, axis) / step));
    const count = Math.ceil((1.5 * camera.radius) / step);
    const at = (i, j) => {
      const point = plus(camera.up.map((x) => x * this.floor), camera.first, i * step);
      return camera.project(plus(point, camera.second, j * step));
    };
    const [i0, j0] = along;
    for (let k = -count; k <= count; k++) {
      this.stroke([at(i0 + k, j0 - count), at(i0 + k, j0 + count)], 1, "#dde3ec");
      this.stroke([at(i0 - count, j0 + k), at(i0 + count, j0 + k)], 1, "#dde3ec");
    }
  }

  drawTracks() {
    for (const track of this.tracks) {
      const points = track.points.map((point) => this.camera.project(point));
      const { index } = locate(track.times, this.time);
      this.context.globalAlpha = 0.25;
      this.stroke(points, 1.2, colour(track.hue));
      this.context.globalAlpha = 0.8;
      this.stroke(points.slice(0, index + 1), 1.6, colour(track.hue));
      this.context.globalAlpha = 1;
    }
  }

  // Which way the axes of the world point.
  drawCompass(height) {
    const { camera, context } = this;
    const [x, y] = [34, height - 34];
    const names = ["x", "y", "z"];
    const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    axes.forEach((axis, k) => {
      const end = { x: x + 22 * dot(axis, camera.right), y: y - 22 * dot(axis, camera.above) };
      this.stroke([{ x, y }, end], 2, ["#dc2626", "#059669", "#2563eb"][k]);
      context.fillStyle = "#475569";
      context.font = "11px system-ui, sans-serif";
      context.fillText(names[k], end.x + 0.25 * (end.x - x) - 3, end.y + 0.25 * (end.y - y) + 4);
    });
  }

  stroke(points, width, style) {
    const { context } = this;
    context.strokeStyle = style;
    context.lineWidth = width;
    context.beginPath();
    points.forEach(({ x, y }, k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.stroke();
  }

  // Let mouse, touch and keys turn and zoom.
  listen() {
    const { canvas, camera } = this;
    const redraw = () => this.draw();
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (!canvas.hasPointerCapture(event.pointerId)) return;
      camera.turn(-0.008 * event.movementX, 0.008 * event.movementY);
      redraw();
    });
    canvas.addEventListener("wheel", (event) => {
      if (document.activeElement !== canvas) return; // the page scrolls until the robot is clicked
      event.preventDefault();
      camera.magnify(Math.exp(-0.0015 * event.deltaY));
      redraw();
    }, { passive: false });
    canvas.addEventListener("dblclick", () => {
      camera.reset();
      redraw();
    });
    const keys = {
      ArrowLeft: () => camera.turn(-0.1, 0),
      ArrowRight: () => camera.turn(0.1, 0),
      ArrowUp: () => camera.turn(0, 0.1),
      ArrowDown: () => camera.turn(0, -0.1),
      "+": () => camera.magnify(1.2),
      "-": () => camera.magnify(1 / 1.2),
      0: () => camera.reset(),
    };
    canvas.addEventListener("keydown", (event) => {
      if (!(event.key in keys)) return;
      event.preventDefault();
      keys[event.key]();
      redraw();
    });
    new ResizeObserver(redraw).observe(canvas);
    focus.listeners.push(redraw);
  }
}

function turned({ columns }, vector) {
  return [0, 1, 2].map((k) => columns[0][k] * vector[0] + columns[1][k] * vector[1] + columns[2][k] * vector[2]);
}

// A ball about the middle of points that holds them.
function ball(points) {
  const middle = (k) => (extreme(points, k, Math.min) + extreme(points, k, Math.max)) / 2;
  const center = points.length ? [0, 1, 2].map(middle) : [0, 0, 0];
  const radius = points.reduce((far, p) => Math.max(far, Math.hypot(...plus(p, center, -1))), 0);
  return { center, radius };
}

function extreme(points, k, choose) {
  return points.reduce((found, point) => choose(found, point[k]), points[0][k]);
}

function moved(pose, point) {
  return plus(turned(pose, point), pose.p);
}
