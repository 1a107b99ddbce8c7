export interface Identifier {
  readonly id: string;
  readonly type: string;
}

export interface Relationship {
  readonly data?: Identifier | readonly Identifier[] | null;
  readonly links?: Readonly<Record<string, string>>;
}

/** What is undefined does not appear. */
export interface Resource extends Identifier {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, Relationship | undefined>>;
  readonly links?: Readonly<Record<string, string | undefined>>;
}

export interface Document {
  readonly data: Resource | readonly Resource[] | null;
  readonly included?: readonly Resource[];
  readonly links?: Readonly<Record<string, string | null>>;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export const mediaType = 'application/vnd.api+json';

export const toOne = (type: string, id: string | null): Relationship => ({ data: id === null ? null : { id, type } });

/** One that can be asked for under a path of its own. */
export const toOneAt = (type: string, id: string | null, related: string): Relationship => ({
  data: id === null ? null : { id, type },
  links: { related },
});

/** `included` is there only when something is in it. */
export const withIncluded = (document: Document, included: readonly Resource[]): Document =>
  included.length === 0 ? document : { ...document, included };
