import type { IdentityProvider, SignInChecks } from '../../src/application/index.js';
import { DomainError, type ProvenIdentity, refusedSignIn } from '../../src/domain/index.js';

/** A provider in this process's memory, which refuses as a real one does. */
export class MemoryIdentityProvider implements IdentityProvider {
  /** False as where the operator has set none up. */
  configured = true;
  readonly issuer = 'https://provider.test';
  private begun = 0;
  private readonly used = new Set<string>();
  /** Who signs in; null if the provider refuses the person. */
  person: Partial<ProvenIdentity> | null = {};

  async begin({ again = false } = {}): Promise<{ readonly url: string; readonly checks: SignInChecks }> {
    this.begun += 1;
    const state = `state-${this.begun}`;
    const url = `https://provider.test/?state=${state}${again ? '&prompt=login&max_age=0' : ''}`;
    return { url, checks: { state, nonce: 'nonce', verifier: 'verifier' } };
  }

  async finish(query: string, { state }: SignInChecks): Promise<ProvenIdentity> {
    if (new URLSearchParams(query).get('state') !== state || this.used.has(state)) {
      throw new DomainError('sign-in/not-begun', 'the answer belongs to another sign-in');
    }
    this.used.add(state);
    if (this.person === null) throw refusedSignIn('The identity provider refused the sign-in (access_denied).');
    return {
      issuer: this.issuer,
      subject: 'ada',
      email: 'ada@example.com',
      emailVerified: true,
      username: 'ada',
      authTime: null,
      groups: null,
      ...this.person,
    };
  }
}
