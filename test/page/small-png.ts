import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from('89504e470d0a1a0a', 'hex');
const mostColours = 256;

/**
 * A screenshot (RGB or RGBA, 8 bits, as Chromium makes them) with at most 256 colours: a quarter of
 * its size, and no difference to be seen.
 */
export function toSmallPng(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const palette = choosePalette(pixels);
  const nearest = new Map<number, number>();
  const rows = Buffer.alloc((width + 1) * height);
  for (const [index, colour] of pixels.entries()) {
    const row = Math.floor(index / width);
    rows[row * (width + 1) + 1 + (index % width)] =
      nearest.get(colour) ?? findNearest(palette, colour);
    if (!nearest.has(colour)) nearest.set(colour, findNearest(palette, colour));
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    signature,
    toChunk('IHDR', header),
    toChunk('PLTE', Buffer.from(palette.flatMap((colour) => [...split(colour)]))),
    toChunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    toChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The commonest colours; rare ones are shades of them. */
function choosePalette(pixels: Uint32Array): readonly number[] {
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, mostColours)
    .map(([colour]) => colour);
}

function findNearest(palette: readonly number[], colour: number): number {
  const [red, green, blue] = split(colour);
  let best = { index: 0, distance: Number.POSITIVE_INFINITY };
  for (const [index, other] of palette.entries()) {
    const [r, g, b] = split(other);
    const distance = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    if (distance < best.distance) best = { index, distance };
  }
  return best.index;
}

function split(colour: number): readonly [number, number, number] {
  return [colour >> 16, (colour >> 8) & 255, colour & 255];
}

function decode(png: Buffer) {
  const parts: Buffer[] = [];
  for (let at = signature.length; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const [width, height, channels] = [
    png.readUInt32BE(16),
    png.readUInt32BE(20),
    png[25] === 6 ? 4 : 3,
  ];
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const pixels = new Uint32Array(width * height);
  let before: Buffer = Buffer.alloc(stride);
  for (let row = 0; row < height; row += 1) {
    const at = row * (stride + 1);
    const line = unfilter(
      raw[at] ?? 0,
      Buffer.from(raw.subarray(at + 1, at + 1 + stride)),
      before,
      channels,
    );
    for (let x = 0; x < width; x += 1) {
      const [red = 0, green = 0, blue = 0] = line.subarray(x * channels, x * channels + 3);
      pixels[row * width + x] = (red << 16) | (green << 8) | blue;
    }
    before = line;
  }
  return { width, height, pixels };
}

/** Undoes a line's filter as PNG (RFC 2083, 6) has them. */
function unfilter(kind: number, line: Buffer, above: Buffer, channels: number): Buffer {
  for (let index = 0; index < line.length; index += 1) {
    const left = line[index - channels] ?? 0;
    const up = above[index] ?? 0;
    const corner = above[index - channels] ?? 0;
    const guess = [0, left, up, (left + up) >> 1, predict(left, up, corner)][kind] ?? 0;
    line[index] = (line[index] ?? 0) + guess;
  }
  return line;
}

function predict(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [
    Math.abs(guess - left),
    Math.abs(guess - up),
    Math.abs(guess - corner),
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function toChunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(content.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}
