// A camera that turns about a point, and the projection of points and ellipsoids.

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const plus = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const unit = (a) => {
  const length = Math.hypot(...a);
  return [a[0] / length, a[1] / length, a[2] / length];
};

class Camera {
  constructor(up, target, radius) {
    const side = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    this.up = up;
    this.first = unit(plus(side, up, -dot(side, up)));
    this.second = cross(up, this.first);
    this.target = target;
    this.radius = radius;
    this.reset();
  }

  reset() {
    this.yaw = -0.95;
    this.pitch = 0.32;
    this.zoom = 1;
  }

  turn(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.min(1.5, Math.max(-1.5, this.pitch + pitch));
  }

  magnify(factor) {
    this.zoom = Math.min(20, Math.max(0.2, this.zoom * factor));
  }

  // Fix the view for a canvas of this size; `project` then maps to its pixels.
  aim(width, height) {
    const [c, s] = [Math.cos(this.yaw), Math.sin(this.yaw)];
    const flat = plus(this.first.map((x) => c * x), this.second, s);
    this.back = plus(flat.map((x) => x * Math.cos(this.pitch)), this.up, Math.sin(this.pitch));
    this.right = cross(this.up, flat);
    this.above = cross(this.back, this.right);
    this.distance = 4 * this.radius;
    this.scale = (0.46 * Math.min(width, height) * this.zoom) / this.radius;
    this.middle = [width / 2, height / 2];
  }

  scaleAt(near) {
    return (this.scale * this.distance) / Math.max(this.distance - near, 0.1 * this.radius);
  }

  // Pixels, nearness to the camera, and pixels per metre there.
  project(point) {
    const p = plus(point, this.target, -1);
    const near = dot(p, this.back);
    const scale = this.scaleAt(near);
    const x = this.middle[0] + scale * dot(p, this.right);
    const y = this.middle[1] - scale * dot(p, this.above);
    return { x, y, near, scale };
  }

  // The outline of an ellipsoid with these half-axes (three vectors): the symmetric matrix
  // [[a, b], [b, d]] in pixels that maps the unit circle to it.
  outline(axes, scale, least) {
    const u = axes.map((axis) => scale * dot(axis, this.right));
    const v = axes.map((axis) => -scale * dot(axis, this.above));
    const [a, b, d] = [dot(u, u) + least * least, dot(u, v), dot(v, v) + least * least];
    const root = Math.sqrt(Math.max(a * d - b * b, 0)); // √ of a 2 × 2 matrix, in closed form
    const trace = Math.sqrt(a + d + 2 * root);
    return [(a + root) / trace, b / trace, (d + root) / trace];
  }
}
