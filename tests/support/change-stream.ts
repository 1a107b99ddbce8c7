import { type ClientRequest, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Caller, type Prefix, prefix } from './api.js';

/** An event as clients see it: its name and its data. */
export type SeenEvent = readonly [name: string, data: unknown];

const eventIn = (part: string): SeenEvent[] => {
  const [, name = '', data = ''] = /^event: (.+)\ndata: (.+)$/.exec(part) ?? [];
  return name === '' ? [] : [[name, JSON.parse(data)]];
};

/** A stream of changes that a test reads event by event. */
export class ChangeStream {
  private readonly waiting: (() => void)[] = [];
  private readonly seen: SeenEvent[] = [];
  private over = false;
  /** Everything that came. */
  text = '';

  private constructor(
    private readonly sent: ClientRequest,
    readonly answer: IncomingMessage,
  ) {
    let rest = '';
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => {
      this.text += text;
      const parts = (rest + text).split('\n\n');
      rest = parts.pop() ?? '';
      this.seen.push(...parts.flatMap(eventIn));
      this.wake();
    });
    answer.on('error', () => {});
    answer.on('close', () => {
      this.over = true;
      this.wake();
    });
  }

  /** Resolves once the response has begun: everything that is changed from then on is reported. */
  static open(
    server: Server,
    caller: Pick<Caller, 'secret'>,
    path: string,
    at: Prefix = prefix,
  ): Promise<ChangeStream> {
    const { port } = server.address() as AddressInfo;
    const headers = caller.secret === undefined ? {} : { Authorization: `Bearer ${caller.secret}` };
    return new Promise((resolve, reject) => {
      const sent = request({ port, path: at + path, headers, agent: false }, (answer) =>
        resolve(new ChangeStream(sent, answer)),
      );
      sent.on('error', reject);
      sent.end();
    });
  }

  /** The next event; undefined once the stream has ended. */
  async next(): Promise<SeenEvent | undefined> {
    while (this.seen.length === 0 && !this.over) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.seen.shift();
  }

  /** Resolves once what came contains the text. */
  async came(text: string): Promise<void> {
    while (!this.text.includes(text)) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  close(): void {
    this.sent.destroy();
  }

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }
}
