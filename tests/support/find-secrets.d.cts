/** The secrets that stand anywhere in `text`. Throws for one that is too short to be told from other words. */
export declare function secretsIn(text: string, secrets: Iterable<string>): readonly string[];
