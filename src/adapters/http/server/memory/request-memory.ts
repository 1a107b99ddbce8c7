import { isIPv6 } from 'node:net';
import type { Request, Response } from 'express';
import { RequestError } from '../../routing/request-error.js';
import { type Holder, type MemoryBudget, NoRoom, type Reservation, type Shortage } from './memory-budget.js';
import type { BodyFile } from './receive-body.js';

/** In seconds. */
const again = '5';

const details: Readonly<Record<Shortage, string>> = {
  caller: 'your requests and unread responses take all the memory of one caller. Send fewer at once, or try again',
  unauthenticated: 'requests without a valid token take all the memory that is kept for them; try again',
  whole: 'the service has no memory for the request or its response; try again',
};

/** Clients of this API family repeat a 429 automatically, and a 503 only if they are configured to. */
const whereTooMany = ['/api/v2/', '/agent/v1/'] as const;

const refusalOf = (shortage: Shortage, route: string): RequestError => {
  const faults = [{ detail: details[shortage] }];
  const headers = { 'Retry-After': again, Connection: 'close' };
  return whereTooMany.some((prefix) => route.startsWith(prefix))
    ? new RequestError(429, 'Too many requests', faults, { ...headers, 'X-RateLimit-Reset': again })
    : new RequestError(503, 'service unavailable', faults, headers);
};

/** Counts what was refused, by the share without room, and the responses that were cut. */
interface RefusalMeter {
  memoryRefused(reason: Shortage | 'unread'): void;
}

/** The request that the memory is for. */
interface Of {
  readonly request: Request;
  readonly response: Response;
  /** With the prefix of its mount. */
  readonly route: string;
  lacksMemory: boolean;
}

/** The memory that a request and its response take, and the files of its body. */
export class RequestMemory {
  private readonly reservation: Reservation;
  private file: BodyFile | undefined;

  constructor(
    private readonly of: Of,
    budget: MemoryBudget,
    private readonly meter: RefusalMeter,
    holder: Holder,
  ) {
    this.reservation = budget.reservation(holder);
  }

  /** Throws a 429 or 503. */
  reserve(bytes: number): void {
    try {
      this.reservation.grow(bytes);
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
      this.meter.memoryRefused(error.shortage);
      this.of.lacksMemory = true;
      throw refusalOf(error.shortage, this.of.route);
    }
  }

  giveBack(bytes: number): void {
    this.reservation.shrink(bytes);
  }

  /**
   * Reserves what was written, while it waits for the client, and returns what to call once the client has taken it. Ends
   * the response where there is no memory for it.
   */
  waits(bytes: number): () => void {
    const cut = () => {
      this.meter.memoryRefused('unread');
      this.of.response.destroy();
    };
    try {
      this.reservation.grow(bytes);
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
      cut();
      return () => {};
    }
    this.reservation.waits(cut);
    return () => {
      this.reservation.isRead();
      this.reservation.shrink(Math.min(bytes, this.reservation.bytes));
    };
  }

  holdFile(file: BodyFile): BodyFile {
    this.file = file;
    return file;
  }

  release(): void {
    this.reservation.release();
    // It has no name: what fails here ends with the process.
    void this.file?.close().catch(() => undefined);
    this.file = undefined;
  }
}

/** The network of an address: a client has a whole /64 network of IPv6 addresses. */
export function networkOf(address: string | undefined): string {
  if (address === undefined || !isIPv6(address)) return `address ${address}`;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return `address ${mapped}`;
  const [withoutZone = ''] = address.split('%', 1);
  const [head = '', tail] = withoutZone.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  const whole = [...groups, ...Array<string>(zeros).fill('0'), ...after];
  return `network ${whole
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}`;
}
