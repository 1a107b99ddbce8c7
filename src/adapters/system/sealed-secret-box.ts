import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { type SecretBox, sealPrefix } from '../../application/index.js';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

const derived = (signingSecret: string, use: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', signingSecret, '', use, bytes));

interface Key {
  readonly fingerprint: string;
  readonly bytes: Buffer;
}

const keyOf = (signingSecret: string): Key => ({
  fingerprint: derived(signingSecret, 'fingerprint', 16).toString('hex'),
  bytes: derived(signingSecret, 'stored secrets', 32),
});

/** Texts are `v2.<fingerprint>.<nonce, tag and ciphertext>`, encrypted with a key derived from the first signing secret. */
export class SealedSecretBox implements SecretBox {
  readonly fingerprints: readonly [string, ...string[]];
  private readonly first: Key;
  private readonly keys: readonly Key[];

  constructor([first, ...others]: readonly [string, ...string[]]) {
    this.first = keyOf(first);
    this.keys = [this.first, ...others.map(keyOf)];
    this.fingerprints = [this.first.fingerprint, ...others.map((secret) => keyOf(secret).fingerprint)];
  }

  seal(secret: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.first.bytes, nonce);
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    const sealed = Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
    return `${sealPrefix(this.first.fingerprint)}${sealed}`;
  }

  open(sealed: string): string {
    const key = this.keys.find(({ fingerprint }) => sealed.startsWith(sealPrefix(fingerprint)));
    const bytes = Buffer.from(sealed.slice(sealed.lastIndexOf('.') + 1), 'base64url');
    try {
      if (key !== undefined) return opened(bytes, key.bytes);
    } catch {
      // The text was altered.
    }
    throw new Error('a stored secret was altered, or encrypted with a signing secret that is no longer configured');
  }
}

function opened(bytes: Buffer, key: Buffer): string {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const text = bytes.subarray(nonceBytes + tagBytes);
  return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
}
