import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { idPrefixes } from '../../src/domain/index.js';
import { confirmed, type Key, membersOf, pathsIn, recordedExamples, recordedMembers } from './kept-examples.js';

/** Ids of tests, and the names that tests make: those of two letters could be anything else, as a region. */
const numberedNames = new RegExp(`\\b(${Object.values(idPrefixes).join('|')}|[a-z]{3,})([-_])\\d{1,6}\\b`, 'g');

const prefixes = new Set<string>(Object.values(idPrefixes));

/**
 * Replaces values that differ between two runs, recognized by their form. An id stays the same within an example, and
 * looks as the service makes them.
 */
function normalized(value: unknown): string {
  const stood = new Map<string, string>();
  const numbered = (start: string, given: string): string => {
    const known = stood.get(given) ?? String([...stood.keys()].filter((key) => key.startsWith(start)).length + 1);
    stood.set(given, known);
    return known;
  };
  const idLike = (given: string, prefix: string) => {
    const digest = createHash('sha256').update(`${prefix} ${numbered(`${prefix}-`, given)}`);
    return `${prefix}-${digest.digest('base64').replaceAll(/[+/=]/g, 'x').slice(0, 16)}`;
  };
  return JSON.stringify(value)
    .replaceAll(/gatehouse\.v1\.[\w-]{20,}/g, `gatehouse.v1.${'example-'.repeat(6)}`)
    .replaceAll(
      /whsec_[A-Za-z0-9+/]{43}=/g,
      `whsec_${Buffer.from('an example of a key for webhooks').toString('base64')}`,
    )
    .replaceAll(/(\/v1\/[\w-]+\/)([\w-]+)\.\w+\.[\w-]{43}/g, (_, path: string, what: string) => {
      return `${path}${/^[\da-f]{64}$/.test(what) ? '5e'.repeat(32) : what}.t3q8d4.c2lnbmF0dXJl`;
    })
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '6e3c2f6e-9a53-4c1e-8f0b-2f7d3a1c5b90')
    .replaceAll(/\bae-\d{17}-[\da-f]{16}\b/g, 'ae-20300101000000000-4f1c9a2b7d3e8056')
    .replaceAll(/\b202\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2030-01-01T00:00:00.000Z')
    .replaceAll(/\b0\.\d{8,}\b/g, 'network')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8080')
    .replaceAll(/\b([a-z]{2,12})-[A-Za-z0-9]{16}\b/g, idLike)
    .replaceAll(numberedNames, (whole, prefix: string, mark: string) =>
      mark === '-' && prefixes.has(prefix)
        ? idLike(whole, prefix)
        : `${prefix}${mark}${numbered(prefix + mark, whole)}`,
    );
}

/** Suites that send malformed requests. */
const odd = /(hardening|every-route|protocol|bodies|no-gain|recorded-changes)\.test/;

const isOdd = () => odd.test(expect.getState().testPath ?? '');

/** Less comes first: an example shows many members in few words. */
const rankOf = (text: string): readonly [number, number] => {
  const paths = new Set(pathsIn(JSON.parse(text)));
  const members = paths.size;
  // Tests of limits send deeply nested documents, on which viewers of descriptions in browsers give up.
  const nested = [...paths].some((path) => path.split('/').length > 20);
  if (nested || isOdd()) return [1000 - members, text.length];
  return text.length > 8_000 ? [0, text.length] : [-members, text.length];
};

/** The examples of one test file: compares them with actual responses, or records better ones in recording mode. */
export class RecordedExamples {
  private readonly found = new Map<Key, { readonly rank: readonly [number, number]; readonly text: string }>();
  /** Those that this file has confirmed, and none before it in this process. */
  private readonly confirmed = new Set<Key>();

  constructor(private readonly recording: boolean) {}

  note(key: Key, value: unknown): void {
    if (key.endsWith(' request') && isOdd()) return;
    if (!this.recording) {
      if (confirmed.has(key) || !this.isAs(key, value)) return;
      confirmed.add(key);
      this.confirmed.add(key);
      return;
    }
    const text = normalized(value);
    const rank = rankOf(text);
    const known = this.found.get(key);
    if (known === undefined || isBefore([...rank, text], [...known.rank, known.text]))
      this.found.set(key, { rank, text });
  }

  /** Compares error responses verbatim and other responses by their members. */
  private isAs(key: Key, value: unknown): boolean {
    if (/^[45]\d\d/.test(key)) return normalized(value) === JSON.stringify(recordedExamples[key]);
    return membersOf(value) === recordedMembers(key);
  }

  /** A line for each, for the reporter. */
  write(folder: string): void {
    const lines = this.recording
      ? [...this.found].map(([key, { rank, text }]) => JSON.stringify([key, ...rank, text]))
      : [...this.confirmed].map((key) => JSON.stringify([key]));
    appendFileSync(join(folder, `${process.pid}.examples`), lines.map((line) => `${line}\n`).join(''));
  }
}

type Ranked = readonly [number, number, string];

const isBefore = (a: Ranked, b: Ranked): boolean => {
  const place = a.findIndex((part, index) => part !== b[index]);
  return place >= 0 && (a[place] as string | number) < (b[place] as string | number);
};
