import type { Backend } from '../../tests/support/backends.js';
import { shrunk } from './shrink.js';
import { type Finding, type Walked, walk } from './walk.js';

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  readonly backend: Backend;
  readonly print: (line: string) => void;
}

export interface Fuzzed {
  readonly findings: readonly Finding[];
  readonly requests: number;
  /** How often each status was answered, by operation. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Operations that never did what they were asked. */
  readonly unanswered: readonly string[];
}

/** The most requests of one walk: stored data grows, and requests must stay about few objects. */
const longest = 5_000;

/** Walks one empty service after another, until there was enough or something is found. */
export async function fuzz({ seed, requests, backend, print }: FuzzOptions): Promise<Fuzzed> {
  const counts = new Map<string, Map<number, number>>();
  let unanswered: readonly string[] | undefined;
  let findings: readonly Finding[] = [];
  let sent = 0;
  for (let number = 0; sent < requests && findings.length === 0; number += 1) {
    const walked = await walkOn(backend, seed + number, Math.min(longest, requests - sent));
    ({ findings } = walked);
    unanswered = (unanswered ?? walked.operations).filter((operation) => walked.unanswered.includes(operation));
    for (const [operation, byStatus] of walked.counts) {
      const known = counts.get(operation) ?? new Map<number, number>();
      counts.set(operation, known);
      for (const [status, count] of byStatus) known.set(status, (known.get(status) ?? 0) + count);
    }
    sent += Math.min(longest, requests - sent);
    print(
      `${sent} requests, ${findings.length} findings, ${toldOf(counts)}, never done: ${unanswered.join(' ') || 'none'}`,
    );
    const [first] = findings;
    if (first !== undefined) {
      print(`${first.what}; looking for the shortest way there`);
      for (const line of await shrunk(backend, first, walked.history)) print(line);
    }
  }
  return { findings, requests: sent, counts, unanswered: unanswered ?? [] };
}

/** How often each status was answered, in words. */
function toldOf(counts: Fuzzed['counts']): string {
  const sums = new Map<number, number>();
  for (const byStatus of counts.values()) {
    for (const [status, count] of byStatus) sums.set(status, (sums.get(status) ?? 0) + count);
  }
  return [...sums]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');
}

async function walkOn(backend: Backend, seed: number, requests: number): Promise<Walked> {
  const rows = await backend.open();
  try {
    return await walk({ seed, requests, rows: rows.unitOfWork });
  } finally {
    await rows.close();
  }
}
