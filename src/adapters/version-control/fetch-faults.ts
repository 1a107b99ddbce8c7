import { DomainError } from '../../domain/index.js';

export const fetchFailed = (sentence: string): DomainError => new DomainError('repository/fetch-failed', sentence);

/** `limit` is the name of the setting. */
export const tooLarge = (sentence: string, limit: string, allowed: number): DomainError =>
  fetchFailed(`${sentence} than ${limit} allows (${allowed})`);

const longestShown = 200;

/** The last thing git complained of, on one line, without what `hidden` lists and without what looks like a secret. */
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
