import type { BundleKey } from '../../domain/index.js';

export const isKey = (text: string): boolean => /^[A-Za-z0-9_-]+$/.test(text);

/** Throws unless the key is safe as the name of a file. */
export function checkKey(key: BundleKey): BundleKey {
  if (!isKey(key)) throw new Error('a bundle key is letters, digits, dashes and underscores');
  return key;
}
