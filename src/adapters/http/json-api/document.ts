export interface Identifier {
  readonly id: string;
  readonly type: string;
}

export interface Relationship {
  readonly data?: Identifier | readonly Identifier[] | null;
  readonly links?: Readonly<Record<string, string>>;
}

export interface Resource extends Identifier {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, Relationship>>;
  readonly links?: Readonly<Record<string, string>>;
}

export interface Document {
  readonly data: Resource | readonly Resource[] | null;
  readonly included?: readonly Resource[];
  readonly links?: Readonly<Record<string, string | null>>;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export const mediaType = 'application/vnd.api+json';

export const toOne = (type: string, id: string | null): Relationship => ({ data: id === null ? null : { id, type } });

/** `included` is there only when something is in it. */
export const withIncluded = (document: Document, included: readonly Resource[]): Document =>
  included.length === 0 ? document : { ...document, included };
