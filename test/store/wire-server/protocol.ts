// MongoDB's wire protocol, as far as drivers use it today: OP_MSG both ways, and the OP_QUERY of a driver's first hello.
import { BSON } from 'mongodb';

export type Doc = Record<string, unknown>;

export interface Request {
  readonly requestId: number;
  readonly command: Doc;
  /** An OP_QUERY is answered with an OP_REPLY. */
  readonly isLegacy: boolean;
  /** The sender expects no reply. */
  readonly isSilent: boolean;
}

const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;
const headerBytes = 16;
const checksumPresent = 1;
const moreToCome = 2;

const decode = (bytes: Buffer): Doc => BSON.deserialize(bytes, { promoteBuffers: true }) as Doc;

const documentAt = (frame: Buffer, at: number): { readonly doc: Doc; readonly end: number } => {
  const end = at + frame.readInt32LE(at);
  return { doc: decode(frame.subarray(at, end)), end };
};

const cstringEnd = (frame: Buffer, at: number): number => frame.indexOf(0, at);

const readQuery = (frame: Buffer): Doc => {
  const nameEnd = cstringEnd(frame, headerBytes + 4);
  const database = frame.toString('utf8', headerBytes + 4, nameEnd).split('.')[0];
  return { ...documentAt(frame, nameEnd + 9).doc, $db: database };
};

/** Sections: one body, and document sequences whose documents join it under their name. */
const readMessage = (frame: Buffer, flags: number): Doc => {
  const end = frame.length - ((flags & checksumPresent) === 0 ? 0 : 4);
  const command: Doc = {};
  let at = headerBytes + 4;
  while (at < end) {
    const kind = frame[at];
    at += 1;
    if (kind === 0) {
      const body = documentAt(frame, at);
      Object.assign(command, body.doc);
      at = body.end;
      continue;
    }
    const sectionEnd = at + frame.readInt32LE(at);
    const nameEnd = cstringEnd(frame, at + 4);
    const docs: Doc[] = [];
    for (let next = nameEnd + 1; next < sectionEnd; ) {
      const { doc, end: after } = documentAt(frame, next);
      docs.push(doc);
      next = after;
    }
    command[frame.toString('utf8', at + 4, nameEnd)] = docs;
    at = sectionEnd;
  }
  return command;
};

const readFrame = (frame: Buffer): Request => {
  const requestId = frame.readInt32LE(4);
  const operation = frame.readInt32LE(12);
  if (operation === opQuery) return { requestId, command: readQuery(frame), isLegacy: true, isSilent: false };
  if (operation !== opMsg) throw new Error(`operation ${operation} is not supported`);
  const flags = frame.readUInt32LE(headerBytes);
  return {
    requestId,
    command: readMessage(frame, flags),
    isLegacy: false,
    isSilent: (flags & moreToCome) !== 0,
  };
};

/** Collects the bytes of one connection and returns the requests that are complete. */
export const createReader = (): ((chunk: Buffer) => Request[]) => {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const requests: Request[] = [];
    while (rest.length >= headerBytes) {
      const length = rest.readInt32LE(0);
      if (rest.length < length) break;
      requests.push(readFrame(rest.subarray(0, length)));
      rest = rest.subarray(length);
    }
    return requests;
  };
};

let lastId = 0;

export const encodeReply = (request: Request, reply: Doc): Buffer => {
  const body = Buffer.from(BSON.serialize(reply, { ignoreUndefined: true }));
  const preamble = request.isLegacy ? 20 : 5;
  const head = Buffer.alloc(headerBytes + preamble);
  lastId = (lastId + 1) & 0x7fffffff;
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(lastId, 4);
  head.writeInt32LE(request.requestId, 8);
  head.writeInt32LE(request.isLegacy ? opReply : opMsg, 12);
  // OP_REPLY: flags, cursor (8 bytes), offset, and one document. OP_MSG: flags and a section of kind 0, all zero.
  if (request.isLegacy) head.writeInt32LE(1, headerBytes + 16);
  return Buffer.concat([head, body]);
};
