import { readFileSync } from 'node:fs';

/** Which example an answer is one of: `operation status`, `operation request` or `response title`. */
export type Key = string;

const file = new URL('../../src/adapters/http/openapi/examples.json', import.meta.url);

export const recordedExamples: Readonly<Record<Key, unknown>> = JSON.parse(readFileSync(file, 'utf8'));

/** Those that an answer in this process was like. */
export const confirmed = new Set<Key>();

export function* pathsIn(value: unknown, at = ''): Generator<string> {
  yield at;
  if (Array.isArray(value)) for (const item of value) yield* pathsIn(item, `${at}/*`);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* pathsIn(member, `${at}/${name}`);
  }
}

/** Which members a document has, and not how many items. */
export const membersOf = (document: unknown): string => [...new Set(pathsIn(document))].sort().join();

const known = new Map<Key, string>();

export function recordedMembers(key: Key): string {
  const members = known.get(key) ?? membersOf(recordedExamples[key]);
  known.set(key, members);
  return members;
}
