/** A token's secret, shown once, and the digest that is kept. */
export interface Secret {
  readonly secret: string;
  /** SHA-256, lower-case hexadecimal. */
  readonly digest: string;
}

export interface SecretGenerator {
  generate(): Secret;
  digestOf(secret: string): string;
}
