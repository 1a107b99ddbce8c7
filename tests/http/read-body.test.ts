import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { readBody, readBytes } from '../../src/adapters/http/routing/read-body.js';

type Reader = (request: Request, timeout: number) => Promise<unknown>;

const asBytes: Reader = (request, timeout) => readBytes(request, 10, timeout);
const asJson: Reader = (request, timeout) => readBody(request, 200, timeout);

/** The outcome of reading when a client sends `text`, which announces more, and then nothing or byte after byte. */
async function read(text: string, timeout: number, reader: Reader = asBytes, dribble = false): Promise<unknown> {
  let outcome: Promise<unknown> = Promise.resolve();
  const listener: RequestListener = (request, response) => {
    outcome = reader(request as Request, timeout).catch((error: unknown) => error);
    void outcome.then(() => response.end());
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write(`POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n${text}`);
  const dribbling = setInterval(() => dribble && client.write(' '), 20);
  await once(server, 'request');
  const ended = await outcome;
  clearInterval(dribbling);
  client.destroy();
  server.closeAllConnections();
  server.close();
  return ended;
}

describe('a body that is read as it is', () => {
  it('is given up when the client falls silent', async () => {
    expect(await read('abc', 100)).toMatchObject({ status: 408 });
  });

  it('is given up when the client sends byte after byte', async () => {
    expect(await read('a', 100, asBytes, true)).toMatchObject({ status: 408 });
  });

  it('is refused as soon as it is too large, without waiting for its end', async () => {
    expect(await read('abcdefghijk', 10_000)).toMatchObject({ status: 413 });
  });
});

describe('a body that is JSON', () => {
  it('is given up when the client falls silent', async () => {
    expect(await read('{"a":', 100, asJson)).toMatchObject({ status: 408 });
  });

  it('is given up when the client sends byte after byte', async () => {
    expect(await read('{', 100, asJson, true)).toMatchObject({ status: 408 });
  });
});
