import { createHmac } from 'node:crypto';
import { lookup as lookupName } from 'node:dns/promises';
import { type ClientRequest, request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { isIP } from 'node:net';
import type { CallAnswer, RunTaskCall, RunTaskCaller } from '../../application/index.js';
import { payloadOf } from './run-task-payload.js';

type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>;

export interface HttpRunTaskCallerOptions {
  readonly publicUrl: string;
  /** Whether the host may have a private address, and may be called without TLS. */
  readonly isAllowedHost: (url: URL) => boolean;
  /** Whether an address leads to the internet rather than to this machine or a network around it. */
  readonly isPublicAddress: (address: string) => boolean;
  /** From the lookup of the host until the response has begun. */
  readonly seconds?: number;
  readonly lookup?: Lookup;
  /** Ends calls when the service stops. */
  readonly stopped?: AbortSignal;
}

/** Without the brackets of an IPv6 address. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

const everyAddress: Lookup = (host) => lookupName(host, { all: true });

/** The server may answer another attempt. */
const notYet = (reason: string): CallAnswer => ({ delivered: false, final: false, reason });
const never = (reason: string): CallAnswer => ({ delivered: false, final: true, reason });

/** Statuses of a server that is overloaded, or not there yet. */
const isTemporary = (status: number): boolean => status >= 500 || status === 408 || status === 429;

export class HttpRunTaskCaller implements RunTaskCaller {
  constructor(private readonly options: HttpRunTaskCallerOptions) {}

  async call(call: RunTaskCall): Promise<CallAnswer> {
    const { publicUrl, seconds = 10, stopped } = this.options;
    const url = new URL(call.url);
    const allowed = this.options.isAllowedHost(url);
    if (url.protocol !== 'https:' && !allowed) {
      return never(`the URL must begin with https://, unless RUN_TASK_ALLOWED_HOSTS names ${url.host}`);
    }
    const ending = AbortSignal.any([AbortSignal.timeout(seconds * 1000), ...(stopped ? [stopped] : [])]);
    try {
      const addresses = await rejectWhenAborted(this.addressesOf(url), ending);
      if (addresses.length === 0) return notYet(`the host ${hostOf(url)} does not resolve to an address`);
      if (!allowed && !addresses.every(this.options.isPublicAddress)) {
        return never(`${hostOf(url)} has a private address; add it to RUN_TASK_ALLOWED_HOSTS to allow it`);
      }
      const status = await post(url, addresses, JSON.stringify(payloadOf(call, publicUrl)), call.hmacKey, ending);
      return answerTo(status);
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

function answerTo(status: number): CallAnswer {
  if (status >= 200 && status < 300) return { delivered: true };
  if (status >= 300 && status < 400) return never(`the task redirected (${status}), and redirects are not followed`);
  const reason = `the task answered with status ${status}`;
  return isTemporary(status) ? notYet(reason) : never(reason);
}

/** The status of the response, whose body is not read. */
function post(
  url: URL,
  addresses: readonly string[],
  body: string,
  hmacKey: string | null,
  signal: AbortSignal,
): Promise<number> {
  const [address = ''] = addresses;
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'User-Agent': 'gatehouse',
    ...(hmacKey !== null && { 'X-TFC-Task-Signature': createHmac('sha512', hmacKey).update(body).digest('hex') }),
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
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });
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
