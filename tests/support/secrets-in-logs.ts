import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { secretsIn } from './find-secrets.cjs';

/**
 * The secrets that a test file uses, and the logs of the services it starts. When it ends, no secret may be in a log; when the whole run ends, `logs-hold-no-secrets.cjs` compares those of all files.
 */
const secrets = new Set<string>();
const logs: (() => string)[] = [];

/** Shorter texts may be ordinary words and are not treated as secrets. */
const shortest = 12;

/** Forbids this text in logs, verbatim or in a common encoding. */
export function noteSecret(secret: string | undefined): void {
  if (secret === undefined || secret.length < shortest) return;
  for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) secrets.add(form);
}

/** Notes a capability URL by its random part. */
export const noteUrl = (url: string): void => noteSecret(url.slice(url.lastIndexOf('.') + 1));

const secretForms = [
  /gatehouse\.v1\.[A-Za-z0-9]{20,}/g,
  /whsec_[A-Za-z0-9+/]{20,}=?/g,
  /\/v1\/(?:object|state|log)\/[\w.-]*\.[\w-]{20,}/g,
  /X-Amz-Signature=\w+/g,
];

/** Notes everything in a response that looks like a secret of the service. */
export function noteSecretsOf(answer: string): void {
  for (const [found] of secretForms.flatMap((form) => [...answer.matchAll(form)])) {
    if (found.startsWith('/v1/')) noteUrl(found);
    else noteSecret(found);
  }
}

/** The variables of an environment that hold secrets. */
export function noteEnvironment(environment: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(environment)) {
    if (!/TOKEN|SECRET|PASSWORD|ACCESS_KEY|DATABASE_(?:DIRECT_)?URL/.test(name)) continue;
    // Only the password of a URL is secret.
    if (name.endsWith('_URL')) noteSecret(value && new URL(value).password);
    else for (const one of value?.split(',') ?? []) noteSecret(one.trim());
  }
}

/** The secrets that a service stores next to its database. */
export function noteFiles(directory: string | undefined): void {
  for (const name of ['signing-secret', 'admin-token', 'admin-token.new']) {
    const path = join(directory ?? '', name);
    if (directory !== undefined && existsSync(path)) noteSecret(readFileSync(path, 'utf8').trim());
  }
}

/** `read` returns the whole log when the tests end. */
export const watchLog = (read: () => string): void => {
  logs.push(read);
};

/** Leaves a log to the check at the end of the run, since its last lines may come after the check of this file. */
export function keepLog(log: string): void {
  const { GATEHOUSE_NOTES: notes } = process.env;
  if (notes !== undefined && existsSync(notes) && log !== '') writeFileSync(join(notes, `${randomUUID()}.log`), log);
}

/** A log as the service writes it, checked at the end. */
export function watchedLogger(): { readonly logger: Logger; readonly read: () => string } {
  const lines: string[] = [];
  const read = () => lines.join('');
  watchLog(read);
  return { logger: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }), read };
}

/** Patterns that no log may contain, noted or not. The `curl` command printed for the operator names a variable instead. */
const forbidden = [...secretForms, /\/v1\/(?:object|state|log)\/[^:"\s]+/g, /(?:bearer|basic) +(?!\$TOKEN)\S+/gi];

/** The secrets in a log: those of `given`, and any text that looks like one. */
export const leaksIn = (log: string, given: Iterable<string>): readonly string[] => [
  ...secretsIn(log, given),
  ...forbidden.flatMap((form) => log.match(form) ?? []),
];

/** Undefined when a program other than a test starts services. */
const { afterAll }: { afterAll?: (look: () => void) => void } = globalThis as object;

afterAll?.(() => {
  const log = logs.map((read) => read()).join('\n');
  keepLog(log);
  const { GATEHOUSE_NOTES: notes } = process.env;
  if (notes !== undefined) writeFileSync(join(notes, `${randomUUID()}.secrets`), JSON.stringify([...secrets]));
  const leaks = leaksIn(log, secrets);
  if (leaks.length > 0) throw new Error(`the log holds secrets: ${leaks.slice(0, 5).join(', ')}`);
});
