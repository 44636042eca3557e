// Smaller PNG files: browsers write screenshots fast, not small. The picture is reduced to 256
// colours, which a page of even areas hardly needs, and compressed well.

import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const MOST_COLOURS = 256;

/** @param {Buffer} png a screenshot: eight bits per channel, not interlaced */
export function recoded(png) {
  const { width, height, channels, rows } = decode(png);
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at++) pixels[at] = (rows[at * channels] << 16) | (rows[at * channels + 1] << 8) | rows[at * channels + 2];
  const { palette, indices } = reduce(pixels);
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) lines.set(indices.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE, chunk("IHDR", header), chunk("PLTE", colours),
    chunk("IDAT", deflateSync(lines, { level: 9, memLevel: 9 })), chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** @param {string} name @param {Buffer} data */
function chunk(name, data) {
  const named = Buffer.concat([Buffer.from(name), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** The channels of all pixels. @param {Buffer} png */
function decode(png) {
  const data = [];
  let [width, height, channels] = [0, 0, 0];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const name = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (name === "IHDR") {
      [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
      channels = { 2: 3, 6: 4 }[body[9]] ?? 0;
      if (body[8] !== 8 || body[12] !== 0 || !channels) throw new Error("a screenshot of another kind of PNG");
    } else if (name === "IDAT") {
      data.push(body);
    }
    at += length + 12;
  }
  const filtered = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const rows = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = filtered[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? rows[y * stride + x - channels] : 0;
      const up = y > 0 ? rows[(y - 1) * stride + x] : 0;
      const corner = x >= channels && y > 0 ? rows[(y - 1) * stride + x - channels] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      rows[y * stride + x] = filtered[y * (stride + 1) + 1 + x] + guess;
    }
  }
  return { width, height, channels, rows };
}

/** The predictor of the PNG specification. @param {number} a @param {number} b @param {number} c */
function paeth(a, b, c) {
  const [da, db, dc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  if (da <= db && da <= dc) return a;
  return db <= dc ? b : c;
}

/** The most frequent colours, and for each pixel the nearest of them. @param {Uint32Array} pixels */
function reduce(pixels) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const byCount = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([colour]) => colour);
  const palette = spread(byCount);
  const nearest = new Map(byCount.map((colour) => [colour, nearestOf(palette, colour)]));
  return { palette, indices: Uint8Array.from(pixels, (pixel) => nearest.get(pixel) ?? 0) };
}

/** Colours in their order, without those very near to an earlier one, so that rare ones fit too. @param {number[]} colours */
function spread(colours) {
  for (let least = 0; ; least = least * 2 + 3) {
    /** @type {number[]} */
    const chosen = [];
    for (const colour of colours) {
      if (least === 0 || chosen.every((other) => distance(colour, other) > least)) chosen.push(colour);
      if (chosen.length > MOST_COLOURS) break;
    }
    if (chosen.length <= MOST_COLOURS) return chosen;
  }
}

/** @param {number[]} palette @param {number} colour */
function nearestOf(palette, colour) {
  let [best, least] = [0, Infinity];
  palette.forEach((other, index) => {
    const found = distance(colour, other);
    if (found < least) [best, least] = [index, found];
  });
  return best;
}

/** The square of the distance. @param {number} a @param {number} b */
function distance(a, b) {
  const [red, green, blue] = [(a >> 16) - (b >> 16), ((a >> 8) & 255) - ((b >> 8) & 255), (a & 255) - (b & 255)];
  return 2 * red * red + 4 * green * green + 3 * blue * blue;
}
