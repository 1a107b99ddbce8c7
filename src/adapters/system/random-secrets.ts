import { hash, randomBytes } from 'node:crypto';
import type { Secret, SecretGenerator } from '../../application/index.js';
import { randomText } from './random-ids.js';

/** Secrets of over 256 bits: their plain SHA-256 cannot be searched, so no slow hash is needed. */
export class RandomSecrets implements SecretGenerator {
  generate(): Secret {
    // The fixed beginning lets scanners of source code recognize a leaked secret.
    const secret = `gatehouse.v1.${randomText(48)}`;
    return { secret, digest: this.digestOf(secret) };
  }

  generateWebhookKey(): string {
    // Standard Webhooks, and so GitLab, take no other form; the other forges take any.
    return `whsec_${randomBytes(32).toString('base64')}`;
  }

  digestOf(secret: string): string {
    return hash('sha256', secret, 'hex');
  }
}
