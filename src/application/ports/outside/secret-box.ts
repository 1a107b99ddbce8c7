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

/** How a sealed text begins: the `sealPrefix` of its key, and of one from the first release as much as it says. */
export const sealPrefixOf = (sealed: string): string => sealed.slice(0, sealed.lastIndexOf('.') + 1);

/** Undefined where `open` would throw. */
export function openedWith(box: SecretBox, sealed: string): string | undefined {
  try {
    return box.open(sealed);
  } catch {
    return undefined;
  }
}
