// The shapes of the bodies: triangles into pixels, the nearest of each pixel stays.

const LIGHT = [-0.35, 0.5, 0.79]; // right, above, back: over the left shoulder
const DARKEST = 0.45;
const FINE = 2; // pixels a pixel of the screen and direction: smooth edges
const PALE = 0.75; // of what is not singled out

class Mesh {
  constructor({ vertices, bodies, faces, colors }) {
    [this.vertices, this.bodies, this.faces, this.colors] = [vertices, bodies, faces, colors].map(array);
    this.count = this.faces.length / 3;
    this.points = new Float64Array(this.vertices.length); // in the axes of the camera
    this.pixels = new Float64Array(this.vertices.length); // x, y, nearness
    this.sheet = document.createElement("canvas");
  }

  // For every body the vertices that reach furthest along its axes.
  extremes() {
    const [found, { vertices }] = [new Map(), this];
    this.bodies.forEach((body, i) => {
      if (!found.has(body)) found.set(body, Array(6).fill(i));
      const best = found.get(body);
      for (let k = 0; k < 3; k++) {
        if (vertices[3 * i + k] < vertices[3 * best[k] + k]) best[k] = i;
        if (vertices[3 * i + k] > vertices[3 * best[k + 3] + k]) best[k + 3] = i;
      }
    });
    const point = (i) => [...vertices.subarray(3 * i, 3 * i + 3)];
    return [...found].flatMap(([body, best]) => best.map((i) => ({ body, point: point(i) })));
  }

  draw(view, poses) {
    const { sheet } = this;
    const fine = view.ratio * (view.ratio < FINE ? FINE : 1);
    sheet.width = Math.round(view.canvas.clientWidth * fine);
    sheet.height = Math.round(view.canvas.clientHeight * fine);
    if (!sheet.width || !sheet.height) return;
    const context = sheet.getContext("2d");
    const image = context.createImageData(sheet.width, sheet.height);
    this.project(view, poses, fine);
    this.paint(image, new Float32Array(sheet.width * sheet.height).fill(-Infinity));
    context.putImageData(image, 0, 0);
    view.context.drawImage(sheet, 0, 0, view.canvas.clientWidth, view.canvas.clientHeight);
  }

  project({ camera, ground }, poses, fine) {
    const axes = [camera.right, camera.above, camera.back];
    const rotated = poses.map((pose) => pose.columns.map((column) => axes.map((axis) => dot(axis, column))));
    const placed = poses.map((pose) => axes.map((axis) => dot(axis, plus(pose.p, camera.target, -1))));
    const { vertices, points, pixels } = this;
    for (let i = 0; i < this.bodies.length; i++) {
      const body = this.bodies[i] < 0 ? ground : this.bodies[i];
      const [a, b, c] = rotated[body];
      const [x, y, z] = [vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]];
      for (let k = 0; k < 3; k++) points[3 * i + k] = a[k] * x + b[k] * y + c[k] * z + placed[body][k];
      const scale = fine * camera.scaleAt(points[3 * i + 2]);
      pixels[3 * i] = fine * camera.middle[0] + scale * points[3 * i];
      pixels[3 * i + 1] = fine * camera.middle[1] - scale * points[3 * i + 1];
      pixels[3 * i + 2] = points[3 * i + 2];
    }
  }

  paint(image, depth) {
    const { faces, pixels } = this;
    const [width, height, data] = [image.width, image.height, new Uint32Array(image.data.buffer)];
    for (let face = 0; face < this.count; face++) {
      const [a, b, c] = [3 * faces[3 * face], 3 * faces[3 * face + 1], 3 * faces[3 * face + 2]];
      const [ax, ay, bx, by, cx, cy] = [pixels[a], pixels[a + 1], pixels[b], pixels[b + 1], pixels[c], pixels[c + 1]];
      const twice = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
      if (!twice) continue;
      const color = this.color(face, a, b, c);
      const [left, right] = [Math.max(0, Math.ceil(Math.min(ax, bx, cx))), Math.min(width - 1, Math.max(ax, bx, cx))];
      const [top, bottom] = [Math.max(0, Math.ceil(Math.min(ay, by, cy))), Math.min(height - 1, Math.max(ay, by, cy))];
      for (let y = top; y <= bottom; y++) {
        for (let x = left; x <= right; x++) {
          const u = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / twice;
          const v = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / twice;
          if (u < 0 || v < 0 || u + v > 1) continue;
          const near = u * pixels[a + 2] + v * pixels[b + 2] + (1 - u - v) * pixels[c + 2];
          if (near <= depth[y * width + x]) continue;
          depth[y * width + x] = near;
          data[y * width + x] = color;
        }
      }
    }
  }

  // The colour of a face in the light, as bytes of a pixel; pale unless it is singled out.
  color(face, a, b, c) {
    const p = this.points;
    const side = (i, j) => [p[j] - p[i], p[j + 1] - p[i + 1], p[j + 2] - p[i + 2]];
    const normal = cross(side(a, b), side(a, c));
    const bright = Math.abs(dot(normal, LIGHT)) / (Math.hypot(normal[0], normal[1], normal[2]) || 1);
    const light = DARKEST + (1 - DARKEST) * Math.min(bright, 1);
    const pale = focus.joint === null || this.bodies[a / 3] === focus.joint ? 0 : PALE;
    const byte = (k) => Math.round((1 - pale) * this.colors[4 * face + k] * light + pale * 240);
    return ((this.colors[4 * face + 3] << 24) | (byte(2) << 16) | (byte(1) << 8) | byte(0)) >>> 0;
  }
}
