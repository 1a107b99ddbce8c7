import type { Request } from 'express';
import type { WholeBody } from '../../routing/exchange.js';
import { freeBytes } from '../../routing/free-bytes.js';
import { tooLarge, tooSlow, unfinished } from '../../routing/read-body.js';
import type { Arrivals, Lateness } from './arrivals.js';
import { inSlices } from './slices.js';

/** Bytes in a file, which its closing removes. */
export interface BodyFile {
  append(bytes: Uint8Array): Promise<void>;
  slices(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** Longer bodies go to a file as they arrive. In bytes. */
const longestInMemory = 1024 * 1024;

/** The memory that a body takes whose bytes go to a file: what is between the connection and the file. */
const onItsWay = 256 * 1024;

/** The memory and files of the request whose body is received. */
export interface Receiving {
  readonly request: Request;
  /** Throws a 429 or 503. */
  reserve(bytes: number): void;
  giveBack(bytes: number): void;
  /** A file that is closed once the request and its response have ended. */
  openFile(): Promise<BodyFile>;
}

const inMemory = (bytes: Uint8Array): WholeBody => ({
  size: bytes.byteLength,
  inMemory: bytes,
  slices: () => inSlices(bytes),
});

/** The body of a request that arrived with its head; undefined when it has not arrived yet. */
export function arrivedBody({ request, reserve }: Receiving, largest: number): WholeBody | undefined {
  if (!request.complete || request.readableLength > longestInMemory) return undefined;
  if (request.readableLength > largest) throw tooLarge(largest);
  reserve(request.readableLength);
  return inMemory((request.read() as Buffer | null) ?? new Uint8Array());
}

/**
 * Reserves a body's memory and receives it from `parts`. A body without a `Content-Length` reserves memory as it grows.
 */
export async function receiveBody(
  receiving: Receiving,
  largest: number,
  parts: AsyncIterable<Uint8Array>,
): Promise<WholeBody> {
  const { request } = receiving;
  const { 'content-length': announced } = request.headers;
  const expected = announced === undefined ? undefined : Number(announced);
  if ((expected ?? 0) > largest) throw tooLarge(largest);
  let reserved = 0;
  const reserve = (bytes: number) => {
    if (bytes > reserved) receiving.reserve(bytes - reserved);
    else receiving.giveBack(reserved - bytes);
    reserved = bytes;
  };
  reserve((expected ?? 0) > longestInMemory ? onItsWay : (expected ?? 0));
  let whole = new Uint8Array(Math.min(expected ?? 0, longestInMemory));
  let file: BodyFile | undefined;
  let size = 0;
  try {
    for await (const part of parts) {
      if (size + part.byteLength > largest) throw tooLarge(largest);
      if (file === undefined && (expected ?? size + part.byteLength) > longestInMemory) {
        file = await receiving.openFile();
        await file.append(whole.subarray(0, size));
        reserve(onItsWay);
        freeBytes(whole);
      }
      if (file === undefined) {
        if (size + part.byteLength > whole.byteLength) {
          // Doubled, so that a body of many small parts is not copied for each.
          const room = Math.min(Math.max(size + part.byteLength, 2 * whole.byteLength), longestInMemory);
          reserve(room);
          const before = whole;
          whole = new Uint8Array(room);
          whole.set(before.subarray(0, size));
          freeBytes(before);
        }
        whole.set(part, size);
      } else await file.append(part);
      size += part.byteLength;
      freeBytes(part);
    }
    if (!request.complete) throw unfinished();
  } catch (error) {
    freeBytes(whole);
    throw error;
  }
  const opened = file;
  if (opened === undefined) return inMemory(whole.subarray(0, size));
  return { size, inMemory: undefined, slices: () => opened.slices() };
}

/** The parts of a body that must not be slow. `note` is called with the reason for a 408. */
export async function* inTime(
  request: Request,
  arrivals: Arrivals,
  note: (lateness: Lateness) => void,
): AsyncGenerator<Uint8Array> {
  // The socket stays open when reading ends early, so that the client can still read the error response.
  const parts = request.iterator({ destroyOnReturn: false });
  let giveUp: (reason: Error) => void = () => {};
  const late = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  late.catch(() => undefined);
  const arrival = arrivals.watch((lateness) => {
    note(lateness);
    giveUp(tooSlow(lateness));
  });
  try {
    for (;;) {
      const next = await Promise.race([parts.next(), late]);
      if (next.done) return;
      arrival.received += next.value.byteLength;
      yield next.value;
    }
  } catch (error) {
    throw (error as { code?: string }).code === 'ECONNRESET' ? unfinished() : error;
  } finally {
    arrivals.forget(arrival);
    void parts.return?.();
  }
}
