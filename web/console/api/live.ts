import type { Query } from '@tanstack/react-query';
import { useEffect } from 'react';
import { send } from './client.ts';
import { queries } from './reading.ts';

/** The net for changes that no event reports, in milliseconds. With an open stream, every second time suffices. */
export const fallbackInterval = 60_000;
/** Between two attempts to open a stream, in milliseconds. */
const shortest = 1_000;

/** How often something was reported, and who waits for more. */
let reports = 0;
const waiting = new Set<() => void>();

/** The number to pass to `reported`. */
export const reportCount = (): number => reports;

const pause = (milliseconds: number, signal: AbortSignal, wake: (now: () => void) => void = () => {}): Promise<void> =>
  new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      waiting.delete(over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    signal.addEventListener('abort', over);
    wake(over);
    if (signal.aborted) over();
  });

/** Resolves once something was reported after the first `seen` reports, at the latest with the net. */
export async function reported(seen: number, signal: AbortSignal): Promise<void> {
  if (reports === seen) await pause(fallbackInterval, signal, (now) => waiting.add(now));
}

/** Resolves once the tab is visible: a tab in the background reads nothing. */
export const visible = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (!document.hidden) return resolve();
    const look = (): void => {
      if (!document.hidden || signal.aborted) resolve();
    };
    document.addEventListener('visibilitychange', look, { signal });
    signal.addEventListener('abort', () => resolve());
  });

/** A change in a workspace leaves these as they are. */
const unconcerned =
  /^(text|\/(account|admin|organizations|projects|tasks|teams|users)\b(?!\/\{organization\}\/(workspaces|runs|attention)))/;

/** Reads again what the page shows of workspaces. */
async function readAgain(): Promise<void> {
  const concerned = ({ queryKey: [path] }: Query): boolean => !unconcerned.test(String(path));
  const begun = new Set(queries.getQueryCache().findAll({ fetchStatus: 'fetching', predicate: concerned }));
  const again = (predicate: (query: Query) => boolean) =>
    queries.invalidateQueries({ predicate }, { cancelRefetch: false });
  await again(concerned);
  // A read that had begun may be from before the change.
  await again((query) => begun.has(query));
}

const report = (isLog = false): void => {
  reports += 1;
  for (const wake of [...waiting]) wake();
  if (!isLog) void readAgain();
};

/** Reads a stream to its end. `opened` is called when changes are reported from now on. */
async function listen(path: string, signal: AbortSignal, opened: () => void): Promise<void> {
  const response = await send(`/api/v2${path}`, { signal, headers: { Accept: 'text/event-stream' } });
  opened();
  // The page may have read something that changed before the stream was open.
  report();
  let text = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return;
    const events = (text + part.value).split('\n\n');
    text = events.pop() ?? '';
    const names = events.flatMap((event) => /^event: (.+)$/m.exec(event)?.[1] ?? []);
    if (names.length > 0) report(names.every((name) => name === 'log'));
  }
}

/** Follows until `left`: while the tab is visible there is one stream, since browsers allow few connections per host. */
async function follow(path: string, left: AbortSignal, onOpen: (isOpen: boolean) => void): Promise<void> {
  let wait = shortest;
  while (!left.aborted) {
    await visible(left);
    const hidden = new AbortController();
    const look = (): void => {
      if (document.hidden) hidden.abort();
    };
    document.addEventListener('visibilitychange', look);
    const ended = AbortSignal.any([left, hidden.signal]);
    const opened = (): void => {
      wait = shortest;
      onOpen(true);
    };
    // It ends after some minutes; where it cannot be opened, the net is what remains.
    await listen(path, ended, opened).catch(() => undefined);
    onOpen(false);
    await pause(wait, ended);
    document.removeEventListener('visibilitychange', look);
    wait = Math.min(wait * 2, fallbackInterval);
  }
}

interface Shown {
  pages: number;
  readonly left: AbortController;
}

/** By their paths. */
const streams = new Map<string, Shown>();

/** How long a stream outlives its page, in milliseconds: the next page is often of the same workspace. */
const lingering = 1_000;

function begin(path: string): Shown {
  const left = new AbortController();
  let isOpen = false;
  void follow(path, left.signal, (now) => {
    isOpen = now;
  });
  let turns = 0;
  const net = setInterval(() => {
    turns += 1;
    if (!document.hidden && !(isOpen && turns % 2 > 0)) report();
  }, fallbackInterval);
  left.signal.addEventListener('abort', () => clearInterval(net));
  return { pages: 0, left };
}

/** Keeps all reads of workspaces fresh while the page is shown, by the changes that the stream at the path reports. */
export function useChanges(path: string): void {
  useEffect(() => {
    const stream = streams.get(path) ?? begin(path);
    streams.set(path, stream);
    stream.pages += 1;
    return () => {
      stream.pages -= 1;
      setTimeout(() => {
        if (stream.pages > 0 || streams.get(path) !== stream) return;
        streams.delete(path);
        stream.left.abort();
      }, lingering);
    };
  }, [path]);
}

export const useOrganizationChanges = (organization: string): void =>
  useChanges(`/organizations/${encodeURIComponent(organization)}/changes`);
