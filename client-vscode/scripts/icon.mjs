// Draws images/icon.png: a falling loss curve that jumps, and the line where it began, marked.
import fs from "node:fs";
import zlib from "node:zlib";

const SIZE = 256;
const SCALE = 3; // drawn larger, then averaged: smooth edges
const BACK = [22, 50, 79];
const GRID = [44, 78, 112];
const CURVE = [126, 200, 255];
const MARK = [255, 176, 59];

const inside = (x, y) => {
  const r = 44;
  const dx = Math.max(r - x, 0, x - (SIZE - r));
  const dy = Math.max(r - y, 0, y - (SIZE - r));
  return dx * dx + dy * dy <= r * r;
};
const loss = (x) => (x < 172 ? 62 + 128 * (1 - Math.exp(-(x - 40) / 48)) : 190 - (x - 172) * 3);
const near = (x, y) => {
  for (let at = 40; at <= 212; at += 0.5) {
    if ((at - x) ** 2 + (loss(at) - y) ** 2 <= 49) return true;
  }
  return false;
};

function colour(x, y) {
  if (!inside(x, y)) return [0, 0, 0, 0];
  if ((x - 172) ** 2 + (y - loss(171)) ** 2 <= 22 ** 2) return [...MARK, 255];
  if (near(x, y)) return [...CURVE, 255];
  if (y > 218 && y < 224 && x > 34 && x < 222) return [...GRID, 255];
  return [...BACK, 255];
}

const rows = [];
for (let y = 0; y < SIZE; y++) {
  const row = Buffer.alloc(1 + SIZE * 4);
  for (let x = 0; x < SIZE; x++) {
    const sum = [0, 0, 0, 0];
    for (let i = 0; i < SCALE * SCALE; i++) {
      const [r, g, b, a] = colour(x + ((i % SCALE) + 0.5) / SCALE, y + (Math.floor(i / SCALE) + 0.5) / SCALE);
      sum[0] += r * a; sum[1] += g * a; sum[2] += b * a; sum[3] += a;
    }
    const a = sum[3];
    row.set(a === 0 ? [0, 0, 0, 0] : [sum[0] / a, sum[1] / a, sum[2] / a, a / SCALE ** 2].map(Math.round), 1 + x * 4);
  }
  rows.push(row);
}
const chunk = (type, data) => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(zlib.crc32(body), body.length + 4);
  return out;
};
const header = Buffer.from([0, 0, SIZE >> 8, SIZE & 255, 0, 0, SIZE >> 8, SIZE & 255, 8, 6, 0, 0, 0]);
const png = Buffer.concat([
  Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
  chunk("IHDR", header),
  chunk("IDAT", zlib.deflateSync(Buffer.concat(rows), { level: 9 })),
  chunk("IEND", Buffer.alloc(0)),
]);
fs.writeFileSync(new URL("../images/icon.png", import.meta.url), png);
