import { useEffect, useState } from 'react';
import { send } from '../../api/client.ts';
import { reportCount, reported, visible } from '../../api/live.ts';
import { ownAddress } from '../../api/own-address.ts';
import { isPassing } from '../../api/problem.ts';
import { AnsiReader, type Segment } from './ansi.ts';

/** The last byte of a log whose phase is over. */
const endMark = 0x03;
/** The bytes that the page shows at most; the rest is one click away. */
const maxBytes = 4 * 1024 * 1024;

export interface Log {
  /** One entry per piece that was read. */
  readonly pieces: readonly (readonly Segment[])[];
  readonly state: 'reading' | 'following' | 'complete' | 'cut';
  readonly problem?: unknown;
}

async function follow(address: string, signal: AbortSignal, show: (log: Log) => void): Promise<void> {
  const reader = new AnsiReader();
  const decoder = new TextDecoder();
  const pieces: (readonly Segment[])[] = [];
  for (let offset = 0; !signal.aborted; ) {
    await visible(signal);
    const seen = reportCount();
    let response: Response;
    try {
      response = await send(`${address}${address.includes('?') ? '&' : '?'}offset=${offset}`, { signal });
    } catch (problem) {
      if (signal.aborted || !isPassing(problem)) throw problem;
      show({ pieces: [...pieces], state: 'following', problem });
      await reported(seen, signal);
      continue;
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    offset += bytes.byteLength;
    const isOver = bytes.at(-1) === endMark;
    const segments = reader.read(decoder.decode(bytes, { stream: !isOver }));
    if (segments.length > 0) pieces.push(segments);
    if (isOver || offset > maxBytes) return show({ pieces, state: isOver ? 'complete' : 'cut' });
    show({ pieces: [...pieces], state: bytes.byteLength === 0 ? 'following' : 'reading' });
    // More may be there already after a full piece.
    if (bytes.byteLength < 65_536) await reported(seen, signal);
  }
}

/** The log at a URL, followed to its end. Nothing is requested before the phase has begun. */
export function useLog(url: string, hasBegun: boolean): Log {
  // A new URL for the same log comes with each read of the plan; the first serves to the end of the phase.
  const [address] = useState(() => ownAddress(url));
  const [log, setLog] = useState<Log>({ pieces: [], state: 'reading' });
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
