import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SecretBox } from '../../application/index.js';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Texts are `v1.<nonce, tag and ciphertext>`, encrypted with a key derived from the signing secret. */
export class SealedSecretBox implements SecretBox {
  private readonly key: Uint8Array;

  constructor(signingSecret: string) {
    this.key = new Uint8Array(hkdfSync('sha256', signingSecret, '', 'stored secrets', 32));
  }

  seal(secret: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.key, nonce);
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')}`;
  }

  open(sealed: string): string {
    const bytes = Buffer.from(sealed.replace(/^v1\./, ''), 'base64url');
    const decipher = createDecipheriv(algorithm, this.key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    const text = bytes.subarray(nonceBytes + tagBytes);
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
  }
}
