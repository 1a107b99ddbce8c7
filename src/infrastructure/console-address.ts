import type { RunningService } from './service.js';

/** In the fragment, which browsers do not send: the code is in no log and no `Referer`. */
export const signInAddress = (publicUrl: string, code: string): string => `${publicUrl}/app/sign-in#code=${code}`;

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The address of the console: with a link that signs the first administrator in, where only the person at this terminal
 * can see and open it, before the first sign-in.
 */
export async function consoleAddress(
  { publicUrl, firstSignInCode }: Pick<RunningService, 'publicUrl' | 'firstSignInCode'>,
  isTerminal: boolean,
): Promise<string> {
  const code = isTerminal && loopback.test(new URL(publicUrl).hostname) ? await firstSignInCode() : undefined;
  return code === undefined ? `${publicUrl}/app` : signInAddress(publicUrl, code);
}
