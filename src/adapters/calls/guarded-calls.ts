import { createHmac } from 'node:crypto';
import { lookup as lookupName } from 'node:dns/promises';
import { type ClientRequest, type IncomingMessage, request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { isIP } from 'node:net';

type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>;

export interface GuardedCallsOptions {
  /** Whether the host may have a private address, and may be called without TLS. */
  readonly isAllowedHost: (url: URL) => boolean;
  /** The setting that decides it. */
  readonly allowedBy: string;
  /** Whether an address leads to the internet rather than to this machine or a network around it. */
  readonly isPublicAddress: (address: string) => boolean;
  /** From the lookup of the host until the response has begun. */
  readonly seconds?: number;
  /** The status says enough: what is read of the body is waited for no longer than this. */
  readonly bodySeconds?: number;
  readonly lookup?: Lookup;
  /** Ends calls when the service stops. */
  readonly stopped?: AbortSignal;
}

/** The part of a response that is read. */
export interface ReadAnswer {
  readonly status: number;
  /** Its first bytes; none unless they are asked for. */
  readonly body: Buffer;
}

/** `final`: another attempt would fail the same way. The reason is a sentence with no more of the URL than the host. */
export interface NoAnswer {
  readonly final: boolean;
  readonly reason: string;
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The status as a refusal, from the side that sent it, such as `the task`. */
export const refusalOf = (side: string, status: number): NoAnswer => ({
  final: status < 500 && status !== 408 && status !== 429,
  reason:
    status >= 300 && status < 400
      ? `${side} redirected (${status}), and redirects are not followed`
      : `${side} answered with status ${status}`,
});

/** A signature of the body, in the header that clients of this API family look at. */
export const signed = (header: string, key: string | null, body: string): Readonly<Record<string, string>> =>
  key === null ? {} : { [header]: createHmac('sha512', key).update(body).digest('hex') };

/** Without the brackets of an IPv6 address. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

const everyAddress: Lookup = (host) => lookupName(host, { all: true });

const refused = (reason: string): NoAnswer => ({ final: true, reason });
const notYet = (reason: string): NoAnswer => ({ final: false, reason });

/** POSTs JSON to addresses that callers choose, and that may be malicious. */
export class GuardedCalls {
  constructor(private readonly options: GuardedCallsOptions) {}

  /** Reads at most this many bytes of the response's body. Never throws for a fault of the other side. */
  async post(
    to: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    readBytes = 0,
  ): Promise<ReadAnswer | NoAnswer> {
    const { allowedBy, seconds = 10, bodySeconds = 1, stopped } = this.options;
    const url = new URL(to);
    const allowed = this.options.isAllowedHost(url);
    if (url.protocol !== 'https:' && !allowed) {
      return refused(`the URL must begin with https://, unless ${allowedBy} names ${url.host}`);
    }
    const ending = AbortSignal.any([AbortSignal.timeout(seconds * 1000), ...(stopped ? [stopped] : [])]);
    try {
      const addresses = await rejectWhenAborted(this.addressesOf(url), ending);
      if (addresses.length === 0) return notYet(`the host ${hostOf(url)} does not resolve to an address`);
      if (!allowed && !addresses.every(this.options.isPublicAddress)) {
        return refused(`${hostOf(url)} has a private address; add it to ${allowedBy} to allow it`);
      }
      return await post(url, addresses, body, headers, { bytes: readBytes, seconds: bodySeconds }, ending);
    } catch {
      return notYet(
        ending.aborted
          ? `${hostOf(url)} did not answer within ${seconds} seconds`
          : `${hostOf(url)} could not be reached`,
      );
    }
  }

  /** Looked up once: the connection is made to one of these. */
  private async addressesOf(url: URL): Promise<readonly string[]> {
    const host = hostOf(url);
    if (isIP(host) !== 0) return [host];
    const found = await (this.options.lookup ?? everyAddress)(host).catch(() => []);
    return found.map(({ address }) => address).filter((address) => isIP(address) !== 0);
  }
}

/** How much of a body is read, and for how long. */
interface Reading {
  readonly bytes: number;
  readonly seconds: number;
}

function post(
  url: URL,
  addresses: readonly string[],
  body: string,
  more: Readonly<Record<string, string>>,
  reading: Reading,
  signal: AbortSignal,
): Promise<ReadAnswer> {
  const [address = ''] = addresses;
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'User-Agent': 'gatehouse',
    ...more,
  };
  const options = {
    method: 'POST',
    headers,
    signal,
    // A connection of its own, to the address that was checked.
    agent: false,
    lookup: (_host: string, { all }: { all?: boolean | undefined }, found: Found) => {
      const family = isIP(address);
      if (all) found(null, [{ address, family }]);
      else found(null, address, family);
    },
  } as const;
  return new Promise((resolve, reject) => {
    const request: ClientRequest = (url.protocol === 'https:' ? requestSecurely : requestPlainly)(url, options);
    request.on('response', (response) => {
      const { statusCode: status = 0 } = response;
      void beginningOf(response, reading).then((read) => {
        response.destroy();
        resolve({ status, body: read });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** The part that has arrived, also if the rest never does. */
async function beginningOf(response: IncomingMessage, { bytes, seconds }: Reading): Promise<Buffer> {
  const parts: Buffer[] = [];
  let read = 0;
  const late = setTimeout(() => response.destroy(), seconds * 1000);
  try {
    if (bytes > 0) {
      for await (const part of response) {
        parts.push(part);
        read += part.length;
        if (read >= bytes) break;
      }
    }
  } catch {
    // The other side broke off, or is late.
  } finally {
    clearTimeout(late);
  }
  return Buffer.concat(parts).subarray(0, bytes);
}

type Found = (
  error: Error | null,
  address: string | { readonly address: string; readonly family: number }[],
  family?: number,
) => void;

/** A lookup cannot be canceled; only the wait for it can. */
async function rejectWhenAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
