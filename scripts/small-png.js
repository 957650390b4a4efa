// Makes a picture of a page a third of its size: 256 colours instead of millions, which nobody sees on a page of text.
// Reads what Chromium writes: 8 bits a channel, RGB or RGBA, not interlaced.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const mostColours = 256;
/** The bits of a colour that tell kinds of colours apart. */
const coarse = 0xf0f0f0;

/** A PNG with a palette, from a PNG in full colour. Throws on another kind of PNG. */
export const smallPng = (png) => {
  const { width, height, pixels } = decode(png);
  const { palette, indexOf } = quantize(pixels);
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = indexOf(pixels[y * width + x]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk(
      'PLTE',
      Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255])),
    ),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

const chunk = (type, data) => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8 + body.length);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), 4 + body.length);
  return frame;
};

const decode = (png) => {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const [depth, kind, , , interlaced] = png.subarray(24, 29);
  const channels = { 2: 3, 6: 4 }[kind];
  if (depth !== 8 || channels === undefined || interlaced !== 0)
    throw new Error('small-png reads 8-bit RGB or RGBA without interlace only');
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const bytes = unfilter(inflateSync(Buffer.concat(parts)), width * channels, height, channels);
  const pixels = new Uint32Array(width * height);
  for (let index = 0; index < pixels.length; index += 1)
    pixels[index] = bytes.readUIntBE(index * channels, 3);
  return { width, height, pixels };
};

/** PNG, section 9: each row says how it differs from what is left of it and above it. */
const unfilter = (data, stride, height, channels) => {
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const left = x < channels ? 0 : out[y * stride + x - channels];
      const up = y === 0 ? 0 : out[(y - 1) * stride + x];
      const corner = x < channels || y === 0 ? 0 : out[(y - 1) * stride + x - channels];
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      out[y * stride + x] = data[y * (stride + 1) + 1 + x] + guess;
    }
  }
  return out;
};

const paeth = (left, up, corner) => {
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value));
  return a <= b && a <= c ? left : b <= c ? up : corner;
};

/** Colours that are nearly the same count as one; the most frequent stay, every other becomes the nearest of them. */
const quantize = (pixels) => {
  const counts = new Map();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const alike = new Map();
  for (const [colour, count] of counts) {
    const kin = alike.get(colour & coarse);
    const isFirst = kin === undefined || count > kin.most;
    alike.set(colour & coarse, {
      colour: isFirst ? colour : kin.colour,
      most: isFirst ? count : kin.most,
      count: count + (kin?.count ?? 0),
    });
  }
  const palette = [...alike.values()]
    .sort((a, b) => b.count - a.count)
    .slice(0, mostColours)
    .map(({ colour }) => colour);
  const known = new Map(palette.map((colour, index) => [colour, index]));
  const indexOf = (colour) => {
    const found = known.get(colour) ?? nearest(palette, colour);
    known.set(colour, found);
    return found;
  };
  return { palette, indexOf };
};

const nearest = (palette, colour) => {
  let best = 0;
  for (let index = 1; index < palette.length; index += 1)
    if (distance(palette[index], colour) < distance(palette[best], colour)) best = index;
  return best;
};

const distance = (a, b) =>
  ((a >> 16) - (b >> 16)) ** 2 + (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;
