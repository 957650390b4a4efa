// Asset archives, and a web server that serves them.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export const sha512 = (bytes: Buffer) => createHash('sha512').update(bytes).digest('hex');

/** One tar entry: what the archives of attackers are made of. */
export const entry = (path: string, data = '', type = '0', target = ''): Buffer => {
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write('0000755\0', 100);
  header.write(`${Buffer.byteLength(data).toString(8).padStart(11, '0')}\0`, 124);
  header.write(type, 156);
  header.write(target, 157);
  header.write('ustar\x0000', 257);
  header.fill(' ', 148, 156);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  const body = Buffer.alloc(Math.ceil(Buffer.byteLength(data) / 512) * 512);
  body.write(data);
  return Buffer.concat([header, body]);
};
export const archive = (...entries: Buffer[]) => Buffer.concat([...entries, Buffer.alloc(1024)]);
export const program = archive(
  entry('bin/', '', '5'),
  entry('bin/check-it', '#!/bin/sh\necho from the asset\n'),
);

/** A web server with one file, and what was asked of it. */
export const serve = async (
  t: TestContext,
  answer: () => { status: number; body: Buffer; location?: string },
) => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers.authorization ?? ''}`);
    const { status, body, location } = answer();
    response.writeHead(status, location === undefined ? {} : { Location: location }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.tgz`, requests };
};
