import type { UserId } from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdentityProvider } from '../../ports/outside/identity-provider.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import { mostPending, type PendingSignIn, pendingUntil } from './pending-sign-in.js';

/** The URL to send the browser to, and the sealed text that it must bring back in this time. */
export interface BegunSignIn {
  readonly url: string;
  readonly sealed: string;
  readonly seconds: number;
}

/** GET /session/sign-in, and POST /session/link of a user who is signed in. */
export class BeginSignIn {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly clock: Clock,
    private readonly secretBox: SecretBox,
  ) {}

  /** Whether people can sign in here at all. */
  get possible(): boolean {
    return this.provider.configured;
  }

  /** Throws `sign-in/not-configured` and `sign-in/provider-unavailable`. */
  async execute(returnTo: string, linkTo: UserId | null = null): Promise<BegunSignIn> {
    const { url, checks } = await this.provider.begin();
    const expiresAt = pendingUntil(this.clock.now());
    const pending: PendingSignIn = { kind: 'pending-sign-in', ...checks, linkTo, returnTo, expiresAt };
    return { url, sealed: this.secretBox.seal(JSON.stringify(pending)), seconds: mostPending };
  }
}
