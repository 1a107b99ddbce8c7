declare const member: unique symbol;

/** A member of a literal, said with a word: its value where the literal is presented, its schema where it is described. */
export interface Said {
  readonly [member]: true;
}

/** Undefined is a member that is not there. */
export interface Members {
  readonly [name: string]: Said | Members | undefined;
}

/** Undefined members do not appear. */
export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly attributes: Members;
  readonly relationships?: Members;
  readonly links?: Members | Said | undefined;
}

export interface Document {
  readonly data: Resource | readonly Resource[] | null;
  readonly included?: readonly Resource[];
  readonly links?: Readonly<Record<string, string | null>>;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export const mediaType = 'application/vnd.api+json';

/** `included` is there only when something is in it. */
export const withIncluded = (document: Document, included: readonly Resource[]): Document =>
  included.length === 0 ? document : { ...document, included };
