import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { readBytes } from '../../src/adapters/http/json-api/read-body.js';

/** What reading ends with when a client sends `text`, which announces more, and then nothing. */
async function read(text: string, patience: number): Promise<unknown> {
  let outcome: Promise<unknown> = Promise.resolve();
  const listener: RequestListener = (request, response) => {
    outcome = readBytes(request as Request, 10, patience).catch((error: unknown) => error);
    void outcome.then(() => response.end());
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write(`POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n${text}`);
  await once(server, 'request');
  const ended = await outcome;
  client.destroy();
  server.closeAllConnections();
  server.close();
  return ended;
}

describe('a body that is read as it is', () => {
  it('is given up when the client falls silent', async () => {
    expect(await read('abc', 100)).toMatchObject({ status: 408 });
  });

  it('is refused as soon as it is too large, without waiting for its end', async () => {
    expect(await read('abcdefghijk', 10_000)).toMatchObject({ status: 413 });
  });
});
