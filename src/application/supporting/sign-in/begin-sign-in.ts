import type { BegunSignIn, PendingSignIns } from './pending-sign-in.js';

/** GET /session/sign-in. */
export class BeginSignIn {
  constructor(private readonly pending: PendingSignIns) {}

  /** Throws `sign-in/not-configured` and `sign-in/provider-unavailable`. */
  execute(returnTo: string): Promise<BegunSignIn> {
    return this.pending.begin({ kind: 'sign-in' }, returnTo);
  }
}
