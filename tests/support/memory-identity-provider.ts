import type { IdentityProvider, SignInChecks } from '../../src/application/index.js';
import { DomainError, type ProvenIdentity, refusedSignIn } from '../../src/domain/index.js';

/** A provider in this process's memory, which refuses as a real one does. */
export class MemoryIdentityProvider implements IdentityProvider {
  readonly configured = true;
  private begun = 0;
  private readonly used = new Set<string>();
  /** Who signs in; null if the provider refuses the person. */
  person: Partial<ProvenIdentity> | null = {};

  async begin(): Promise<{ readonly url: string; readonly checks: SignInChecks }> {
    this.begun += 1;
    const state = `state-${this.begun}`;
    return { url: `https://provider.test/?state=${state}`, checks: { state, nonce: 'nonce', verifier: 'verifier' } };
  }

  async finish(query: string, { state }: SignInChecks): Promise<ProvenIdentity> {
    if (query !== `state=${state}` || this.used.has(state)) {
      throw new DomainError('sign-in/not-begun', 'the answer belongs to another sign-in');
    }
    this.used.add(state);
    if (this.person === null) throw refusedSignIn('The identity provider refused the sign-in (access_denied).');
    return {
      issuer: 'https://provider.test',
      subject: 'ada',
      email: 'ada@example.com',
      emailVerified: true,
      username: 'ada',
      ...this.person,
    };
  }
}
