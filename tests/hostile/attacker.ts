import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Wave } from './attack.js';

const piece = 64 * 1024;
const tick = 250;

/** The sockets that are sent a little more at each tick. */
const slow = new Set<() => void>();
setInterval(() => {
  for (const send of slow) send();
}, tick).unref();

let over = false;

/** Sends the requests of one wave until the attack is over. */
class Sender {
  readonly fates: Record<string, number> = {};
  private readonly open = new Set<Socket>();
  private readonly body: Buffer;
  private nextAt = performance.now();

  constructor(
    private readonly port: number,
    private readonly wave: Wave,
  ) {
    this.body = wave.body === undefined ? Buffer.alloc(0) : readFileSync(wave.body);
  }

  /** Resolves once each connection has begun its first request. */
  async begin(): Promise<void> {
    const first = Array.from(
      { length: this.wave.connections },
      (_, index) => new Promise<void>((begun) => void this.repeat(index, begun)),
    );
    await Promise.race([Promise.all(first), pause(5_000)]);
  }

  end(): void {
    for (const socket of this.open) socket.destroy();
  }

  private async repeat(index: number, begun: () => void): Promise<void> {
    for (let round = 0; !over; round += 1) {
      await this.itsTurn();
      if (over) return;
      const fate = await this.request(index + round * this.wave.connections, begun);
      this.fates[fate] = (this.fates[fate] ?? 0) + 1;
    }
  }

  private async itsTurn(): Promise<void> {
    const { perSecond = 1_000 } = this.wave;
    const now = performance.now();
    const at = Math.max(now, this.nextAt);
    this.nextAt = at + 1_000 / perSecond;
    if (at > now) await pause(at - now);
  }

  private request(index: number, begun: () => void): Promise<string> {
    const { addresses = 1, response = 'heed' } = this.wave;
    const localAddress = addresses === 1 ? '127.0.0.1' : `127.0.1.${1 + (index % addresses)}`;
    return new Promise((resolve) => {
      const socket = connect({ port: this.port, host: '127.0.0.1', localAddress });
      this.open.add(socket);
      let status: string | undefined;
      let failure: string | undefined;
      let stop: () => void = () => {};
      socket.once('connect', () => {
        socket.write(this.head(index));
        stop = this.sendBody(socket);
        begun();
      });
      socket.on('error', (error: NodeJS.ErrnoException) => {
        failure = error.code;
      });
      socket.on('close', () => {
        stop();
        begun();
        this.open.delete(socket);
        resolve(status ?? (over ? 'under way' : (failure ?? 'closed')));
      });
      if (response === 'leave') return;
      socket.once('data', (head) => {
        status = /^HTTP\/1\.1 (\d{3})/.exec(head.toString('latin1', 0, 12))?.[1];
        if (response === 'heed') socket.destroy();
        else socket.resume();
      });
    });
  }

  private head(index: number): string {
    const { method, path, headers = {}, tokens = [], framing = 'length', body } = this.wave;
    const token = tokens[index % tokens.length];
    const length = framing === 'length' ? `Content-Length: ${this.body.length}` : 'Transfer-Encoding: chunked';
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Content-Type: application/vnd.api+json',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
      ...(body === undefined ? [] : [length]),
    ];
    return `${lines.join('\r\n')}\r\n\r\n`;
  }

  /** Returns what ends it. */
  private sendBody(socket: Socket): () => void {
    const { framing = 'length', bytesPerSecond } = this.wave;
    let at = 0;
    const send = (max: number): boolean => {
      const part = this.body.subarray(at, at + max);
      at += part.length;
      if (framing === 'length') return socket.write(part);
      socket.write(`${part.length.toString(16)}\r\n`);
      socket.write(part);
      return socket.write(at === this.body.length ? '\r\n0\r\n\r\n' : '\r\n');
    };
    if (bytesPerSecond !== undefined) {
      const sendSome = () => {
        if (at < this.body.length && !socket.destroyed) send(Math.ceil((bytesPerSecond * tick) / 1_000));
      };
      slow.add(sendSome);
      return () => void slow.delete(sendSome);
    }
    const sendAll = () => {
      while (at < this.body.length && !socket.destroyed) if (!send(piece)) return;
    };
    socket.on('drain', sendAll);
    sendAll();
    return () => {};
  }
}

let senders: readonly Sender[] = [];

process.on('message', async (message: 'end' | { readonly port: number; readonly waves: readonly Wave[] }) => {
  if (message === 'end') {
    over = true;
    for (const sender of senders) sender.end();
    await pause(50);
    process.send?.({ what: 'fates', fates: senders.map(({ fates }) => fates) });
    process.disconnect();
    return;
  }
  senders = message.waves.map((wave) => new Sender(message.port, wave));
  await Promise.all(senders.map((sender) => sender.begin()));
  process.send?.({ what: 'begun' });
});
process.on('disconnect', () => process.exit());
process.send?.({ what: 'loaded' });
