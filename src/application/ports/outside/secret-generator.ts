/** A token's secret, shown once, and the digest that is kept. */
export interface Secret {
  readonly secret: string;
  /** SHA-256, lower-case hexadecimal. */
  readonly digest: string;
}

export interface SecretGenerator {
  generate(): Secret;
  /** A key that every forge takes as a webhook's secret. */
  generateWebhookKey(): string;
  digestOf(secret: string): string;
}
