import { useEffect, useState } from 'react';
import { send } from '../../api/client.ts';
import { reportCount, reported, visible } from '../../api/live.ts';
import { ownAddress } from '../../api/own-address.ts';
import { isPassing } from '../../api/problem.ts';
import { AnsiReader } from './ansi.ts';
import { type LogLine, LogLines } from './log-lines.ts';

/** The first and the last byte of a log whose phase is over. */
const [startMark, endMark] = [0x02, 0x03];
/** The bytes that the page shows at most; the rest can be downloaded. */
const maxBytes = 4 * 1024 * 1024;
/** The service sends this much at once. */
const part = 65_536;

export interface Log {
  readonly lines: readonly LogLine[];
  readonly state: 'reading' | 'following' | 'complete' | 'cut';
  readonly problem?: unknown;
}

async function read(address: string, offset: number, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const response = await send(`${address}${address.includes('?') ? '&' : '?'}offset=${offset}`, { signal });
  return new Uint8Array(await response.arrayBuffer());
}

async function follow(address: string, signal: AbortSignal, show: (log: Log) => void): Promise<void> {
  const reader = new AnsiReader();
  const decoder = new TextDecoder();
  const lines = new LogLines();
  for (let offset = 0; !signal.aborted; ) {
    await visible(signal);
    const seen = reportCount();
    let bytes: Uint8Array;
    try {
      bytes = await read(address, offset, signal);
    } catch (problem) {
      if (signal.aborted || !isPassing(problem)) throw problem;
      show({ lines: lines.all(), state: 'following', problem });
      await reported(seen, signal);
      continue;
    }
    offset += bytes.byteLength;
    const isOver = bytes.at(-1) === endMark;
    lines.add(reader.read(decoder.decode(bytes, { stream: !isOver })));
    if (isOver || offset > maxBytes) return show({ lines: lines.all(), state: isOver ? 'complete' : 'cut' });
    show({ lines: lines.all(), state: bytes.byteLength === 0 ? 'following' : 'reading' });
    // More may be there already after a full piece.
    if (bytes.byteLength < part) await reported(seen, signal);
  }
}

/** The whole log as far as it is written, with its control sequences. */
export async function rawLog(url: string): Promise<Blob> {
  const address = ownAddress(url);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let offset = 0; ; ) {
    const bytes = await read(address, offset);
    offset += bytes.byteLength;
    parts.push(bytes.filter((byte) => byte !== startMark && byte !== endMark));
    if (bytes.byteLength < part) return new Blob(parts, { type: 'text/plain' });
  }
}

/** The log at a URL, followed to its end. Nothing is requested before the phase has begun. */
export function useLog(url: string, hasBegun: boolean): Log {
  // A new URL for the same log comes with each read of the plan; the first serves to the end of the phase.
  const [address] = useState(() => ownAddress(url));
  const [log, setLog] = useState<Log>({ lines: [], state: 'reading' });
  useEffect(() => {
    if (!hasBegun) return;
    const ended = new AbortController();
    follow(address, ended.signal, setLog).catch((problem: unknown) => {
      if (!ended.signal.aborted) setLog((before) => ({ ...before, problem }));
    });
    return () => ended.abort();
  }, [address, hasBegun]);
  return log;
}
