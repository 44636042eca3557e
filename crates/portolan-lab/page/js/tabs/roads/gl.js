// @ts-check
// Draws roads and touched nodes with WebGL: one buffer of segments, one of points, the camera as a
// uniform. Thin roads are lines; wider ones are rectangles, one instance per road of the same
// buffer.

/** @typedef {import("./index.js").RoadIndex} RoadIndex */
/** @typedef {import("./road_map.js").Look} Look */
/** @typedef {import("./road_map.js").Dots} Dots */

/** From map to clip space: `camera` is pixels per unit and the corner, `screen` the size in pixels. */
const PLACE = `
uniform vec3 camera;
uniform vec2 screen;
vec4 place(vec2 at, vec2 shift) {
  vec2 pixel = at * camera.x + camera.yz + shift;
  return vec4(pixel / screen * vec2(2, -2) + vec2(-1, 1), 0, 1);
}`;

const LINE = `#version 300 es
layout(location = 0) in vec2 at;
${PLACE}
void main() { gl_Position = place(at, vec2(0)); }`;

const BAND = `#version 300 es
layout(location = 0) in vec4 ends;
uniform float width;
${PLACE}
void main() {
  vec2 along = ends.zw - ends.xy;
  along = length(along) > 0.0 ? normalize(along) : vec2(1, 0);
  float side = gl_VertexID % 2 == 0 ? -0.5 : 0.5;
  bool isFirst = gl_VertexID < 2;
  // A little longer than the road, so that bends have no gaps.
  vec2 shift = (vec2(-along.y, along.x) * side + along * (isFirst ? -0.3 : 0.3)) * width;
  gl_Position = place(isFirst ? ends.xy : ends.zw, shift);
}`;

const DOT = `#version 300 es
layout(location = 0) in vec2 at;
layout(location = 1) in vec4 ink;
uniform float width;
${PLACE}
out vec4 colour;
void main() {
  colour = ink;
  gl_PointSize = width;
  gl_Position = place(at, vec2(0));
}`;

const PLAIN = `#version 300 es
precision mediump float;
uniform vec4 ink;
out vec4 colour;
void main() { colour = ink; }`;

const ROUND = `#version 300 es
precision mediump float;
in vec4 colour;
out vec4 painted;
void main() {
  if (distance(gl_PointCoord, vec2(0.5)) > 0.5) discard;
  painted = vec4(colour.rgb * colour.a, colour.a);
}`;

/** Lines below this width are lines of WebGL, which are one pixel wide. */
const THIN = 1.4;

export class GlPainter {
  /**
   * `null` where WebGL is missing, or done without a graphics card unless that is wanted.
   * @param {boolean} evenIfSlow
   * @param {() => void} onLost
   */
  static create(evenIfSlow, onLost) {
    const canvas = document.createElement("canvas");
    const gl = canvas.getContext("webgl2", { antialias: true, failIfMajorPerformanceCaveat: !evenIfSlow });
    if (!gl || (!evenIfSlow && isSoftware(gl))) return null;
    try {
      return new GlPainter(canvas, gl, onLost);
    } catch {
      return null;
    }
  }

  /** @param {HTMLCanvasElement} canvas @param {WebGL2RenderingContext} gl @param {() => void} onLost */
  constructor(canvas, gl, onLost) {
    this.name = "webgl";
    this.canvas = canvas;
    canvas.setAttribute("aria-hidden", "true");
    this.gl = gl;
    this.onLost = onLost;
    this.line = program(gl, LINE, PLAIN);
    this.band = program(gl, BAND, PLAIN);
    this.dot = program(gl, DOT, ROUND);
    this.segments = gl.createBuffer();
    this.places = gl.createBuffer();
    this.inks = gl.createBuffer();
    this.dots = 0;
    /** @type {RoadIndex | null} */
    this.index = null;
    this.lost = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.onLost();
    };
    canvas.addEventListener("webglcontextlost", this.lost);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  close() {
    this.canvas.removeEventListener("webglcontextlost", this.lost);
    this.canvas.remove();
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  /** @param {RoadIndex} index */
  setRoads(index) {
    const { gl } = this;
    this.index = index;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.segments);
    gl.bufferData(gl.ARRAY_BUFFER, index.segments, gl.STATIC_DRAW);
    this.dots = 0;
  }

  /** @param {Dots} dots */
  setDots({ places, inks }) {
    const { gl } = this;
    this.dots = inks.length;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.places);
    gl.bufferData(gl.ARRAY_BUFFER, places, gl.DYNAMIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.inks);
    gl.bufferData(gl.ARRAY_BUFFER, inks, gl.DYNAMIC_DRAW);
  }

  /** @param {Look} look */
  draw(look) {
    const { gl, canvas, index } = this;
    if (canvas.width !== look.width || canvas.height !== look.height) {
      canvas.width = look.width;
      canvas.height = look.height;
    }
    gl.viewport(0, 0, look.width, look.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (!index) return;
    const isThin = look.roadWidth < THIN;
    const roads = isThin ? this.line : this.band;
    this.use(roads, look, look.roadWidth);
    gl.uniform4fv(gl.getUniformLocation(roads, "ink"), look.ink.map((value) => value / 255));
    gl.bindBuffer(gl.ARRAY_BUFFER, this.segments);
    gl.enableVertexAttribArray(0);
    for (const [from, to] of index.roadsIn(look.box)) {
      if (from === to) continue;
      if (isThin) {
        gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
        gl.drawArrays(gl.LINES, 2 * from, 2 * (to - from));
      } else {
        gl.vertexAttribPointer(0, 4, gl.FLOAT, false, 0, 16 * from);
        gl.vertexAttribDivisor(0, 1);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, to - from);
        gl.vertexAttribDivisor(0, 0);
      }
    }
    if (this.dots === 0) return;
    this.use(this.dot, look, look.dotWidth);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.places);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.inks);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    gl.drawArrays(gl.POINTS, 0, this.dots);
    gl.disableVertexAttribArray(1);
  }

  /** @param {WebGLProgram} used @param {Look} look @param {number} width */
  use(used, look, width) {
    const { gl } = this;
    gl.useProgram(used);
    gl.uniform3f(gl.getUniformLocation(used, "camera"), look.zoom, look.x, look.y);
    gl.uniform2f(gl.getUniformLocation(used, "screen"), look.width, look.height);
    gl.uniform1f(gl.getUniformLocation(used, "width"), width);
  }
}

/** Whether a program draws instead of a graphics card. @param {WebGL2RenderingContext} gl */
function isSoftware(gl) {
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const name = names ? gl.getParameter(names.UNMASKED_RENDERER_WEBGL) : "";
  return /swiftshader|llvmpipe|software|basic render/i.test(String(name));
}

/** @param {WebGL2RenderingContext} gl @param {string} vertex @param {string} fragment */
function program(gl, vertex, fragment) {
  const made = gl.createProgram();
  for (const [kind, text] of /** @type {[number, string][]} */ ([[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]])) {
    const shader = gl.createShader(kind);
    if (!shader) throw new Error("WebGL has no room for a shader");
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made) ?? "WebGL refuses a shader");
  return made;
}
