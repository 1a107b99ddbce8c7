import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Line, openLine } from '../../lab/torture/fault-proxy.js';

/** Answers everything with the same. */
let echo: Server;
let line: Line;
let client: Socket;
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
  echo = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).pipe(socket);
  });
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  line = await openLine((echo.address() as AddressInfo).port);
  client = await opened();
});

afterEach(async () => {
  client.destroy();
  await line.close();
  echo.close();
});

const opened = async (): Promise<Socket> => {
  const socket = connect(line.port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

/** The echo of `text`, if it arrives in time. */
const answer = async (text: string, within = 100): Promise<string | undefined> => {
  client.write(text);
  const heard = once(client, 'data').then(([chunk]) => String(chunk));
  return Promise.race([heard, pause(within, undefined, { ref: false })]);
};

describe('a line that can fail', () => {
  it('passes everything on until then', async () => {
    expect(await answer('hello', 2000)).toBe('hello');
  });

  it('is cut with a reset, and takes new connections at once', async () => {
    await answer('hello', 2000);
    const failed = once(client, 'error');
    expect(line.cut()).toBe(1);
    expect((await failed)[0]).toMatchObject({ code: 'ECONNRESET' });
    client = await opened();
    expect(await answer('again', 2000)).toBe('again');
  });

  it('swallows what is sent on open connections, and not on new ones', async () => {
    await answer('hello', 2000);
    line.swallow();
    expect(await answer('lost')).toBeUndefined();
    expect(client.destroyed).toBe(false);
    client.destroy();
    client = await opened();
    expect(await answer('again', 2000)).toBe('again');
  });

  it('loses answers, and nothing that is asked', async () => {
    await answer('hello', 2000);
    const asked = new Promise((resolve) => {
      for (const socket of sockets) socket.on('data', (chunk) => resolve(String(chunk)));
    });
    line.mute();
    expect(await answer('lost')).toBeUndefined();
    expect(await asked).toBe('lost');
  });

  it('cuts where a certain thing is answered, which has then happened', async () => {
    line.trap('COMMIT');
    expect(await answer('begin', 2000)).toBe('begin');
    const failed = once(client, 'error');
    client.write('COMMIT;');
    expect((await failed)[0]).toMatchObject({ code: 'ECONNRESET' });
    expect(line.trapped()).toBe(1);
  });

  it('holds back while stalled, and passes it on in order afterwards', async () => {
    await answer('hello', 2000);
    line.stall();
    expect(await answer('first')).toBeUndefined();
    const heard = once(client, 'data');
    line.resume();
    expect(String((await heard)[0])).toBe('first');
  });

  it('refuses connections until it accepts them again', async () => {
    line.refuse();
    const refused = connect(line.port, '127.0.0.1');
    expect((await once(refused, 'error'))[0]).toMatchObject({ code: 'ECONNRESET' });
    line.accept();
    client.destroy();
    client = await opened();
    expect(await answer('again', 2000)).toBe('again');
  });

  it('delays data by the given time', async () => {
    line.delay(60);
    const begun = performance.now();
    expect(await answer('slow', 2000)).toBe('slow');
    expect(performance.now() - begun).toBeGreaterThan(100);
  });
});
