// A message as it goes over the socket: one unmasked binary frame with its header in front (RFC 6455, section 5.2). The WebSocket
// library writes header and payload apart, which costs each message a second buffer, a second entry in the stream and a
// gathered write. A check request goes to many agents, and is framed once for all of them.

const finalBinary = 0x82;
const length16 = 126;
const length64 = 127;

const headerBytes = (length: number): number => (length < length16 ? 2 : length < 65_536 ? 4 : 10);

const framed = (payload: Buffer): Buffer => {
  const { length } = payload;
  const header = headerBytes(length);
  const frame = Buffer.allocUnsafe(header + length);
  frame[0] = finalBinary;
  if (header === 2) frame[1] = length;
  else if (header === 4) {
    frame[1] = length16;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = length64;
    frame.writeUInt32BE(0, 2);
    frame.writeUInt32BE(length, 6);
  }
  frame.set(payload, header);
  return frame;
};

/** The last message that was framed: sent to many agents, it is the same buffer each time. */
let last: { readonly payload: Buffer; readonly frame: Buffer } | undefined;

/** `payload` must not change afterwards. */
export const messageFrame = (payload: Buffer): Buffer => {
  if (last?.payload === payload) return last.frame;
  const frame = framed(payload);
  last = { payload, frame };
  return frame;
};
