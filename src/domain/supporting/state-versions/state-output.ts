import type { StateVersionId, StateVersionOutputId } from '../../shared/id.js';

/** An output value of a state, as an agent reports it. */
export interface ReportedOutput {
  readonly name: string;
  /** A type of the configuration language, as its JSON: `"string"`, `["list", "number"]`, `["object", {"a": "bool"}]`. */
  readonly type: unknown;
  /** Any JSON. */
  readonly value: unknown;
  readonly sensitive: boolean;
}

/** A stored output. */
export interface StateOutput {
  readonly id: StateVersionOutputId;
  readonly stateVersionId: StateVersionId;
  /** Unique within its state version, whose outputs are ordered by it. */
  readonly name: string;
  readonly type: unknown;
  /** The value as JSON; for a sensitive output, sealed. */
  readonly value: string;
  readonly sensitive: boolean;
}

/** The maximum number of outputs stored per state. */
const maxOutputs = 1000;

/** The maximum length of a value's JSON, in characters. */
export const maxOutputLength = 1024 * 1024;

/** The JSON type names of values. */
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
  // The third element lists optional attributes: it appears in types that people write, and is harmless elsewhere.
  return kind === 'object' && isPlainObject(of) && Object.values(of).every(isOutputType);
}

/** The JSON type name for a configuration language type. */
export const wordForType = (type: unknown): OutputWord => {
  const kind = Array.isArray(type) ? type[0] : type;
  return { ...primitives, ...collections, ...structures }[String(kind)] ?? 'dynamic';
};

/**
 * The outputs to store, in the given order. An output is skipped if its name is invalid or a duplicate, its type is
 * unknown, its value and type are too long, or the limit is reached: a state must not be lost because of its outputs.
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

// Databases disagree about NUL, and treat all unpaired surrogates as the same.
const isOutputName = (name: string): boolean =>
  name.length > 0 && name.length <= 255 && !name.includes('\0') && name.isWellFormed();

const isShortEnough = (type: unknown, value: unknown): boolean =>
  valueToText(type).length + valueToText(value).length <= maxOutputLength;

export const valueToText = (value: unknown): string => JSON.stringify(value ?? null);
