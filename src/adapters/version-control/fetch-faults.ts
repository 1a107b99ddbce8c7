import { DomainError } from '../../domain/index.js';

export const fetchFailed = (sentence: string): DomainError => new DomainError('repository/fetch-failed', sentence);

/** `limit` is the name of the setting. */
export const tooLarge = (sentence: string, limit: string, allowed: number): DomainError =>
  fetchFailed(`${sentence} than ${limit} allows (${allowed})`);

export const branches = 'refs/heads/';

export function called(ref: string): string {
  if (ref === 'HEAD') return 'the default branch';
  if (ref.startsWith(branches)) return `the branch "${ref.slice(branches.length)}"`;
  return ref.startsWith('refs/tags/') ? `the tag "${ref.slice('refs/tags/'.length)}"` : `the ref "${ref}"`;
}

/** The request to a git that failed. */
interface Asked {
  readonly host: string;
  readonly credential: string | null;
  /** Set when a ref was requested. */
  readonly ref?: string | undefined;
}

/** The meaning of git's own messages; the first match counts. Undefined where a match does not fit the request. */
const faults: readonly (readonly [words: RegExp, sentence: (asked: Asked) => string | undefined])[] = [
  [/couldn't find remote ref/, ({ ref }) => ref && `${called(ref)} does not exist in the repository`],
  [
    /could not read (?:Username|Password)|Authentication failed|error: 40[134]|repository '.*' not found/,
    ({ credential }) =>
      `the repository could not be read: it does not exist, or ${credential === null ? 'it requires a credential' : `the credential "${credential}" cannot read it`}`,
  ],
  [
    /error: 30\d|redirect/,
    () => 'the repository has moved: its host redirects, and redirects are not followed; link the new URL',
  ],
  [/dumb http transport|not valid: is this a git repository/, () => 'there is no git repository at the clone URL'],
  [/Operation too slow/, ({ host }) => `${host} stopped sending`],
  [
    /Could not resolve host|Failed to connect|Couldn't connect|Connection (?:refused|reset|timed out)/,
    ({ host }) => `${host} is unreachable`,
  ],
];

/** The error sentence for git's output; undefined where only git's last message describes the failure. */
export function faultIn(ownWords: string, asked: Asked): string | undefined {
  for (const [words, sentence] of faults) {
    const said = words.test(ownWords) ? sentence(asked) : undefined;
    if (said !== undefined) return said;
  }
  return undefined;
}

const longestShown = 200;

/** Git's last error message, on one line, without what `hidden` lists and without anything that looks like a secret. */
export function lastComplaint(complaints: string, hidden: readonly string[]): string {
  const lines = complaints
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a remote writes into this text.
    .replace(/\x1b\[[0-9;]*[A-Za-z]/g, '')
    .split(/[\r\n]+/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
    .map((line) => line.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ').trim())
    .filter((line) => line !== '');
  let line = lines.findLast((candidate) => /^(?:fatal|error):/.test(candidate)) ?? lines.at(-1) ?? '';
  for (const secret of hidden) if (secret !== '') line = line.replaceAll(secret, '…');
  line = line
    .replace(/\/\/[^/\s@]*@/g, '//')
    .replace(/authorization:.*/is, 'Authorization: …')
    .replace(/^(?:fatal|error): /, '');
  return line.length > longestShown ? `${line.slice(0, longestShown)}…` : line;
}
