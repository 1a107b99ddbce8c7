/** Encrypts secrets that must be used again. */
export interface SecretBox {
  /** Names of the keys it opens with, from which nobody can tell the key: hexadecimal. It seals with the first. */
  readonly fingerprints: readonly [string, ...string[]];
  /** Begins with `sealPrefix` of its first key. */
  seal(secret: string): string;
  /** Throws when the text was altered, or sealed with a key that it does not have. */
  open(sealed: string): string;
}

/** How every text begins that was sealed with this key, so that others are found without opening them. */
export const sealPrefix = (fingerprint: string): string => `v2.${fingerprint}.`;
