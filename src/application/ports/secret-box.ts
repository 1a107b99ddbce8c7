/** Encrypts secrets that must be used again. */
export interface SecretBox {
  seal(secret: string): string;
  /** Throws when the text was altered, or sealed with a key that is not known any more. */
  open(sealed: string): string;
}
