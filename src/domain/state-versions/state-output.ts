import { DomainError } from '../shared/domain-error.js';
import type { StateVersionId, StateVersionOutputId } from '../shared/id.js';

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

/** How many outputs a state may have. */
export const maxOutputs = 1000;

/** How many characters the JSON of a value may have. */
export const maxOutputLength = 1024 * 1024;

const primitives: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  bool: 'boolean',
  dynamic: 'dynamic',
};
const collections: Readonly<Record<string, string>> = { list: 'array', set: 'array', map: 'object' };
const structures: Readonly<Record<string, string>> = { tuple: 'array', object: 'object' };

const isOneOf = (words: Readonly<Record<string, string>>, word: unknown): word is string =>
  typeof word === 'string' && Object.hasOwn(words, word);

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether it is a type of the configuration language. */
export function isOutputType(type: unknown): boolean {
  if (isOneOf(primitives, type)) return true;
  if (!Array.isArray(type) || type.length > 3) return false;
  const [kind, of] = type;
  if (isOneOf(collections, kind)) return type.length === 2 && isOutputType(of);
  if (kind === 'tuple') return type.length === 2 && Array.isArray(of) && of.every(isOutputType);
  // The third says which attributes are optional: it is of types that people write, and harmless in others.
  return kind === 'object' && isPlainObject(of) && Object.values(of).every(isOutputType);
}

/** What a value of the type is in JSON, in a word: `string`, `number`, `boolean`, `array`, `object` or `dynamic`. */
export const wordForType = (type: unknown): string => {
  const kind = Array.isArray(type) ? type[0] : type;
  return { ...primitives, ...collections, ...structures }[String(kind)] ?? 'dynamic';
};

/** Throws `agent-report/invalid` for a type that is none, a name that is there twice, or a value that is too long. */
export function checkOutputs(outputs: readonly ReportedOutput[]): void {
  const names = new Set<string>();
  for (const [index, { name, type, value }] of outputs.entries()) {
    const at = `/outputs/${index}`;
    if (names.has(name)) throw unfit(`${at}/name`, 'Name is there twice');
    names.add(name);
    if (!isOutputType(type)) throw unfit(`${at}/type`, 'Type must be one of the configuration language');
    if (valueToText(value).length > maxOutputLength) {
      throw unfit(`${at}/value`, `Value is too long (the maximum is ${maxOutputLength})`);
    }
  }
}

export const valueToText = (value: unknown): string => JSON.stringify(value ?? null);

const unfit = (pointer: string, sentence: string): DomainError =>
  new DomainError('agent-report/invalid', sentence, { pointer });
