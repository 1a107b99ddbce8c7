import { randomUUID } from 'node:crypto';

declare const member: unique symbol;

/** A member of a literal, said with a word: its value where the literal is presented, its schema where it is described. */
export interface WireValue {
  readonly [member]: true;
}

/** Undefined is a member that is not there. */
export interface Members {
  readonly [name: string]: WireValue | Members | undefined;
}

/** Undefined members do not appear. */
export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly attributes: Members;
  readonly relationships?: Members | WireValue | undefined;
  readonly links?: Members | WireValue | undefined;
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

/** No client can know it, and so send a text that is taken for it. */
const placeholder = randomUUID();
/** The texts that the document being written has in place of placeholders. */
let texts: string[] | undefined;

/** JSON that is written as it is: to parse and print a long value would hold the event loop. */
export class RawJson {
  constructor(private readonly text: string) {}

  toJSON(): unknown {
    if (texts === undefined) return JSON.parse(this.text);
    texts.push(this.text);
    return placeholder;
  }
}

/** The JSON of a value that may have `RawJson` in it. */
export function jsonText(value: unknown): string {
  texts = [];
  try {
    const text = JSON.stringify(value);
    if (texts.length === 0) return text;
    const [first = '', ...others] = text.split(`"${placeholder}"`);
    return [first, ...others.flatMap((after, index) => [texts?.[index] ?? '', after])].join('');
  } finally {
    texts = undefined;
  }
}
