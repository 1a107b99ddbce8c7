import { StringDecoder } from 'node:string_decoder';
import type { LeasedRun } from './leased-run.js';
import type { Masking, Secrets } from './secrets.js';
import { ServiceRefused } from './service-client.js';

/** The service's limits on one log and on one request. */
const maxBytes = 64 * 1024 * 1024;
const maxInPart = 1024 * 1024;
const betweenParts = 1_000;
const cutOff = Buffer.from('\n\nThe log exceeds the size limit of the service. The rest is omitted.\n');

/** The log of a phase, sent to the service while it is written, with secrets masked. */
export class RunLog {
  private readonly decoder = new StringDecoder('utf8');
  private readonly masking: Masking;
  private begun = false;
  private waiting: Buffer[] = [];
  private written = 0;
  private sent = 0;
  private full = false;
  private sending: Promise<void> | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly run: Pick<LeasedRun, 'appendLog'>,
    secrets: Secrets,
    private readonly print: (line: string) => void,
    private readonly limit = maxBytes,
  ) {
    this.masking = secrets.masking();
    this.timer = setInterval(() => {
      void this.send();
    }, betweenParts);
  }

  get isEmpty(): boolean {
    return !this.begun;
  }

  write(part: string | Uint8Array): void {
    if (this.full) return;
    const text = typeof part === 'string' ? part : this.decoder.write(Buffer.from(part));
    this.begun ||= text !== '';
    this.add(Buffer.from(this.masking.write(text)));
  }

  /** Resolves when everything written so far was sent, or sending has ended. Rejects with `LeaseLost`. */
  async flush(): Promise<void> {
    this.add(Buffer.from(this.masking.end()));
    await this.sending;
    await this.send();
  }

  /** Ends sending. */
  stop(): void {
    clearInterval(this.timer);
    this.full = true;
    this.waiting = [];
  }

  private add(bytes: Buffer): void {
    if (this.full || bytes.length === 0) return;
    const room = this.limit - cutOff.length - this.written;
    this.full = bytes.length > room;
    const kept = this.full ? Buffer.concat([bytes.subarray(0, room), cutOff]) : bytes;
    this.written += kept.length;
    this.waiting.push(kept);
  }

  private send(): Promise<void> {
    this.sending ??= this.sendAll().finally(() => {
      this.sending = undefined;
    });
    // The caller of `flush` receives a failure; attempts of the timer must not end the process.
    this.sending.catch(() => undefined);
    return this.sending;
  }

  private async sendAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const all = Buffer.concat(this.waiting);
      const part = all.subarray(0, maxInPart);
      this.waiting = [all];
      try {
        await this.run.appendLog(this.sent, Uint8Array.from(part));
      } catch (error) {
        if (!(error instanceof ServiceRefused) || error.name === 'LeaseLost') throw error;
        this.print(`the service no longer accepts the log: ${error.message}`);
        this.stop();
        return;
      }
      this.sent += part.length;
      const [, ...since] = this.waiting;
      this.waiting = [all.subarray(part.length), ...since].filter(({ length }) => length > 0);
    }
  }
}
