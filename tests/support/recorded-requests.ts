import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect } from '@jest/globals';
import { refusals } from '../clients/refusals.js';

/** A request to the clients' mount, without its values. */
export interface RecordedRequest {
  /** As it names itself. */
  readonly sender?: string;
  readonly method: string;
  /** With `:id` for ids. */
  readonly path: string;
  readonly query: readonly string[];
  readonly attributes: readonly string[];
  readonly status: number;
  readonly faults: readonly string[];
}

const fileIn = (directory: string): string => join(directory, 'requests.jsonl');

/** The environment of a service that records its requests in the directory. */
export const recordingIn = (directory: string) => ({
  NODE_OPTIONS: `--import=${new URL('record-requests.mjs', import.meta.url)}`,
  RECORDED_REQUESTS: fileIn(directory),
});

export function recordedIn(directory: string): readonly RecordedRequest[] {
  const file = fileIn(directory);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** How the clients of the family name themselves; tests ask as others. */
const isClient = (sender = ''): boolean => /^(?:go-tfe|terraform|go-http-client)/i.test(sender);

const placeOf = (path: string): string =>
  path
    .replace('/api/v2', '')
    .replace(/^\/organizations\/[^/]+/, '/organizations/:name')
    .replace(/(?<=:name\/workspaces\/)[^/]+/, ':name')
    .replace(/^(\/[a-z-]+\/)nonexisting(?=\/|$)/, '$1:id');

/** Refusals of clients that the table does not have. */
export const unexpectedAmong = (requests: readonly RecordedRequest[]): readonly string[] =>
  requests.flatMap(({ sender, method, path, status, faults }) => {
    const key = `${method} ${placeOf(path)} ${status}`;
    if (status < 400 || status >= 500 || !isClient(sender) || Object.hasOwn(refusals, key)) return [];
    return [`${sender} ${key}: ${faults.join(', ')}`];
  });

const ofParameterOrAttribute = / is not supported: | is not an attribute: /;

/**
 * The requests that were refused for a parameter or an attribute, or that no row of the table explains: none, since what a
 * real client sends is served or ignored.
 * `KEEP_REQUESTS` names a directory to keep all requests in, so that two releases can be compared.
 */
export function refusedIn(directory: string): readonly string[] {
  const { KEEP_REQUESTS: kept } = process.env;
  const file = fileIn(directory);
  if (kept !== undefined && existsSync(file)) copyFileSync(file, join(kept, `${basename(directory)}.jsonl`));
  const requests = recordedIn(directory);
  const misread = requests.flatMap(({ sender = '', method, path, faults }) =>
    faults
      .filter((detail) => ofParameterOrAttribute.test(detail))
      .map((detail) => `${sender} ${method} ${path}: ${detail}`),
  );
  return [...misread, ...unexpectedAmong(requests)];
}

/** For a service that has ended: deletes the directory, and checks that no client was refused. */
export async function endRecording(directory: string): Promise<void> {
  const refused = refusedIn(directory);
  await rm(directory, { recursive: true, force: true });
  expect(refused).toEqual([]);
}
