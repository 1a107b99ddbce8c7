import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect } from '@jest/globals';
import type { Route } from '../../src/adapters/http/routing/route.js';
import { refusals } from '../clients/refusals.js';
import { keyOf, routesOnce } from './walk-routes.js';

/** A request to the clients' mount, without its values. */
export interface RecordedRequest {
  /** As it names itself. */
  readonly sender?: string;
  readonly method: string;
  /** With `:id` for ids. */
  readonly path: string;
  /** The names, and the value of `include`. */
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

/** By operation, the parameters, with a question mark before them, and the attributes of all requests that were served. */
export type ServedRequests = Readonly<Record<string, readonly string[]>>;

/** A line for each operation: the method, the path, and the names. */
const servedFile = new URL('../clients/served-requests.txt', import.meta.url);

export const servedBefore = (): ServedRequests =>
  Object.fromEntries(
    readFileSync(servedFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [method, path, ...names] = line.split(' ');
        return [`${method} ${path}`, names] as const;
      }),
  );

const literals = ({ path }: Route): number => path.split('/').filter((part) => !part.startsWith(':')).length;
const patterns = routesOnce
  .map(({ route }) => ({ route, pattern: new RegExp(`^/api/v2${route.path.replaceAll(/:\w+/g, '[^/]+')}$`) }))
  .sort((one, other) => literals(other.route) - literals(one.route));

/** Undefined where no route has it, such as `ping`. */
const operationOf = ({ method, path }: RecordedRequest): string | undefined => {
  const found = patterns.find(({ route, pattern }) => route.method === method.toLowerCase() && pattern.test(path));
  return found && keyOf(found.route);
};

const joined = (...all: readonly ServedRequests[]): ServedRequests => {
  const operations = [...new Set(all.flatMap((one) => Object.keys(one)))].sort();
  return Object.fromEntries(
    operations.map((operation) => [operation, [...new Set(all.flatMap((one) => one[operation] ?? []))].sort()]),
  );
};

export const servedAmong = (requests: readonly RecordedRequest[]): ServedRequests =>
  joined(
    ...requests.flatMap((request): readonly ServedRequests[] => {
      const { sender, status, query, attributes } = request;
      const operation = status < 400 && isClient(sender) ? operationOf(request) : undefined;
      return operation === undefined ? [] : [{ [operation]: [...query.map((name) => `?${name}`), ...attributes] }];
    }),
  );

/** Served requests that the list lacks. */
export const unlistedAmong = (requests: readonly RecordedRequest[], list: ServedRequests): readonly string[] =>
  Object.entries(servedAmong(requests)).flatMap(([operation, names]) => {
    const known = list[operation];
    const others = names.filter((name) => known?.includes(name) !== true);
    return known !== undefined && others.length === 0 ? [] : [[operation, ...others].join(' ')];
  });

/** As `unlistedAmong` of the file. With `RECORD_CLIENT_REQUESTS`, they are added to it instead. */
function notInFile(requests: readonly RecordedRequest[]): readonly string[] {
  const list = servedBefore();
  if (process.env.RECORD_CLIENT_REQUESTS !== undefined) {
    const lines = Object.entries(joined(list, servedAmong(requests))).map((line) => `${line.flat().join(' ')}\n`);
    writeFileSync(servedFile, lines.join(''));
    return [];
  }
  return unlistedAmong(requests, list).map(
    (line) => `${line}: not in served-requests.txt, to which RECORD_CLIENT_REQUESTS=1 adds it`,
  );
}

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
  return [...misread, ...unexpectedAmong(requests), ...notInFile(requests)];
}

/** For a service that has ended: deletes the directory, and checks that no client was refused. */
export async function endRecording(directory: string): Promise<void> {
  const refused = refusedIn(directory);
  await rm(directory, { recursive: true, force: true });
  expect(refused).toEqual([]);
}
