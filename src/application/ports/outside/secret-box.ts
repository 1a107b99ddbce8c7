/** Encrypts secrets that are needed again in plain text. */
export interface SecretBox {
  /** Fingerprints of the keys it opens with, in hexadecimal, which do not reveal the keys. It seals with the first. */
  readonly fingerprints: readonly [string, ...string[]];
  /** Begins with `sealPrefix` of its first key. */
  seal(secret: string): string;
  /** Throws if the text was altered, or sealed with an unknown key. */
  open(sealed: string): string;
}

/** The prefix of every text sealed with this key, so that others are found without opening them. */
export const sealPrefix = (fingerprint: string): string => `v2.${fingerprint}.`;

/** The `sealPrefix` of a sealed text's key. */
export const sealPrefixOf = (sealed: string): string => sealed.slice(0, sealed.lastIndexOf('.') + 1);

/** Undefined if `open` would throw. */
export function openedWith(box: SecretBox, sealed: string): string | undefined {
  try {
    return box.open(sealed);
  } catch {
    return undefined;
  }
}
