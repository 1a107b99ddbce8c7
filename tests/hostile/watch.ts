import { get } from 'node:http';
import type { ServiceProcess } from '../support/process.js';
import { residentMiB } from '../support/resident-memory.js';

/** The worst that was seen of a service. */
export interface Seen {
  readonly residentMiB: number;
  /** The slowest answer of `/healthz`; infinite if there was one without an answer. */
  readonly healthMilliseconds: number;
  readonly healthAsked: number;
  /** The end of its output, if it ended. */
  readonly ended: string | undefined;
}

const patience = 10_000;

/** Asks on a connection of its own, as probes do. Resolves to the milliseconds until the answer. */
export const healthAfter = (url: string): Promise<number> =>
  new Promise((resolve) => {
    const begun = performance.now();
    const failed = () => resolve(Number.POSITIVE_INFINITY);
    const asked = get(`${url}/healthz`, { agent: false, timeout: patience }, (response) => {
      response.resume();
      response.on('error', failed);
      response.on('end', () => (response.statusCode === 200 ? resolve(performance.now() - begun) : failed()));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', failed);
  });

/** Watches the memory of a service, and whether it answers, until it is stopped. */
export class Watch {
  private readonly memory: NodeJS.Timeout;
  private readonly health: NodeJS.Timeout;
  private readonly asked: Promise<number>[] = [];
  private resident = 0;

  constructor(private readonly service: ServiceProcess) {
    const pid = service.child.pid ?? 0;
    this.memory = setInterval(async () => {
      const now = await residentMiB(pid, 'VmRSS').catch(() => 0);
      this.resident = Math.max(this.resident, now || 0);
    }, 50);
    this.health = setInterval(() => this.asked.push(healthAfter(service.url)), 200);
  }

  async stop(): Promise<Seen> {
    clearInterval(this.memory);
    clearInterval(this.health);
    const health = await Promise.all(this.asked);
    const { exitCode, signalCode } = this.service.child;
    const running = exitCode === null && signalCode === null;
    return {
      residentMiB: Math.round(this.resident),
      healthMilliseconds: Math.round(Math.max(0, ...health)),
      healthAsked: health.length,
      ended: running ? undefined : `${exitCode ?? signalCode}: ${this.service.printed.slice(-2_000)}`,
    };
  }
}
