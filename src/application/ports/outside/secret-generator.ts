/** A token's secret, shown once, and the digest that is stored. */
export interface Secret {
  readonly secret: string;
  /** SHA-256, lower-case hexadecimal. */
  readonly digest: string;
}

export interface SecretGenerator {
  generate(): Secret;
  /** A key that every forge accepts as a webhook secret. */
  generateWebhookKey(): string;
  digestOf(secret: string): string;
}
