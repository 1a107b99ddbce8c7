import type { StateVersionId, StateVersionOutputId } from '../../shared/id.js';

/** A value that a state gives to whoever uses it, as an agent reports it. */
export interface ReportedOutput {
  readonly name: string;
  /** A type of the configuration language, as its JSON: `"string"`, `["list", "number"]`, `["object", {"a": "bool"}]`. */
  readonly type: unknown;
  /** Any JSON. */
  readonly value: unknown;
  readonly sensitive: boolean;
}

/** An output as it is kept. */
export interface StateOutput {
  readonly id: StateVersionOutputId;
  readonly stateVersionId: StateVersionId;
  /** Unique in its state version, whose outputs it puts in order. */
  readonly name: string;
  readonly type: unknown;
  /** Its JSON; of a sensitive one that text sealed. */
  readonly value: string;
  readonly sensitive: boolean;
}

/** How many outputs of a state are kept. */
const maxOutputs = 1000;

/** How many characters the JSON of a value may have. */
export const maxOutputLength = 1024 * 1024;

/** What a value is in JSON. */
export const outputWords = ['string', 'number', 'boolean', 'array', 'object', 'dynamic'] as const;

export type OutputWord = (typeof outputWords)[number];

const primitives: Readonly<Record<string, OutputWord>> = {
  string: 'string',
  number: 'number',
  bool: 'boolean',
  dynamic: 'dynamic',
};
const collections: Readonly<Record<string, OutputWord>> = { list: 'array', set: 'array', map: 'object' };
const structures: Readonly<Record<string, OutputWord>> = { tuple: 'array', object: 'object' };

const isOneOf = (words: Readonly<Record<string, string>>, word: unknown): word is string =>
  typeof word === 'string' && Object.hasOwn(words, word);

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether it is a type of the configuration language. */
function isOutputType(type: unknown): boolean {
  if (isOneOf(primitives, type)) return true;
  if (!Array.isArray(type) || type.length > 3) return false;
  const [kind, of] = type;
  if (isOneOf(collections, kind)) return type.length === 2 && isOutputType(of);
  if (kind === 'tuple') return type.length === 2 && Array.isArray(of) && of.every(isOutputType);
  // The third says which attributes are optional: it is of types that people write, and harmless in others.
  return kind === 'object' && isPlainObject(of) && Object.values(of).every(isOutputType);
}

/** What a value of the type is in JSON, in a word. */
export const wordForType = (type: unknown): OutputWord => {
  const kind = Array.isArray(type) ? type[0] : type;
  return { ...primitives, ...collections, ...structures }[String(kind)] ?? 'dynamic';
};

/**
 * Those that are kept, in the order given. One is left out whose name is none or there already, whose type is none of the
 * language, that is too long with its type, or that is one too many: a state must not be lost for how its outputs look.
 */
export function fittingOutputs(outputs: readonly ReportedOutput[]): readonly ReportedOutput[] {
  const names = new Set<string>();
  return outputs.filter(({ name, type, value }) => {
    const fits =
      names.size < maxOutputs &&
      isOutputName(name) &&
      !names.has(name) &&
      isOutputType(type) &&
      isShortEnough(type, value);
    if (fits) names.add(name);
    return fits;
  });
}

// Databases disagree about NUL, and take all that is no text for the same.
const isOutputName = (name: string): boolean =>
  name.length > 0 && name.length <= 255 && !name.includes('\0') && name.isWellFormed();

const isShortEnough = (type: unknown, value: unknown): boolean =>
  valueToText(type).length + valueToText(value).length <= maxOutputLength;

export const valueToText = (value: unknown): string => JSON.stringify(value ?? null);
