import { isDomainError } from '../../../domain/index.js';
import type { Config } from '../../config.js';
import type { Call } from '../toolkit/command.js';

/** The result of a check. A result other than `ok` includes the fix. */
export type Found =
  | { readonly state: 'ok'; readonly found: string }
  | { readonly state: 'warning' | 'failed'; readonly found: string; readonly mend: string };

export type Finding = Found & { readonly check: string };

export const ok = (found: string): Found => ({ state: 'ok', found });
export const warning = (found: string, mend: string): Found => ({ state: 'warning', found, mend });
export const failed = (found: string, mend: string): Found => ({ state: 'failed', found, mend });

/** False or undefined without a result. */
export type CheckResults = readonly (Found | false | undefined)[];

/** One check. An error it throws is reported as a failure. */
export interface Check {
  readonly name: string;
  run(config: Config, call: Call): Promise<CheckResults>;
  readonly mend: string;
}

export const sentenceOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return isDomainError(error) && cause !== undefined ? `${message}: ${String(cause)}` : message;
};

/** The permissions of group and others on a file or directory; undefined if the system does not report them. */
export const opened = (mode: number): string | undefined =>
  process.platform === 'win32' || (mode & 0o077) === 0 ? undefined : (mode & 0o777).toString(8);

const allowedDifference = 1_000;

/**
 * Whether a clock that reported `told` between `asked` and now agrees with this machine's, allowing for the time in
 * between.
 */
export const clockFound = (whose: string, told: number, asked: number, allowed = allowedDifference): Found => {
  const answered = Date.now();
  const difference = told - (asked + answered) / 2;
  return Math.abs(difference) <= allowed + (answered - asked) / 2
    ? ok(`the clock agrees with ${whose}`)
    : failed(
        `the clock differs from ${whose} by ${(difference / 1000).toFixed(1)} seconds`,
        'synchronize the clocks of both machines with NTP',
      );
};
