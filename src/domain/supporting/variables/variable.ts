import { alreadyTaken, DomainError, invalidAttribute } from '../../shared/domain-error.js';
import type { Instant, VariableId, WorkspaceId } from '../../shared/id.js';

export const variableCategories = ['terraform', 'env'] as const;

export interface VariableSettings {
  readonly key: string;
  readonly description: string | null;
  readonly category: (typeof variableCategories)[number];
  /** Whether the value is an expression of the configuration language, and not the text itself. */
  readonly hcl: boolean;
  /** Whether nobody is ever shown the value again. */
  readonly sensitive: boolean;
}

/** What a run of the workspace is given as a variable, or in its environment. */
export interface Variable extends VariableSettings {
  readonly id: VariableId;
  readonly workspaceId: WorkspaceId;
  /** The value, encrypted whether it is sensitive or not: runs need it again. */
  readonly sealedValue: string;
  /** Bytes of the value in UTF-8. */
  readonly size: number;
  readonly createdAt: Instant;
  readonly revision: number;
}

/** What all variables of a workspace come to. */
export interface VariableTotals {
  readonly count: number;
  readonly bytes: number;
}

const kibi = 1024;

/** The list of a workspace's variables, and what an agent is told of a run, come whole: these bound both. */
export const variableLimits = {
  key: 255,
  value: 256 * kibi,
  /** Linux starts no program with a longer text in its environment; the key, a `=` and an end belong to it. */
  environmentText: 128 * kibi,
  ofWorkspace: { count: 1000, bytes: 4 * kibi * kibi },
} as const;

const controlCharacter = /[\p{Cc}\u2028\u2029]/u;
const identifier = /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u;

const sizeOf = (text: string): number => {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
};

function checkKey({ key, category }: VariableSettings): void {
  const invalid = (sentence: string) => invalidAttribute('key', sentence);
  if (key === '') throw invalid("Key can't be blank");
  if (key.length > variableLimits.key) throw invalid(`Key is too long (the maximum is ${variableLimits.key})`);
  if (controlCharacter.test(key)) throw invalid('Key must not contain line breaks or control characters');
  if (category === 'terraform' && !identifier.test(key)) {
    throw invalid(
      'Key of a Terraform variable must consist of letters, digits, underscores and dashes and must not begin with a digit or a dash',
    );
  }
  if (category === 'env' && key.includes('=')) throw invalid('Key of an environment variable must not contain "="');
}

/** How long a value is, as `size` says it. Throws `attribute/invalid` for what no value may hold, or is too long for any. */
export function checkValue(value: string): number {
  if (value.includes('\0')) throw invalidAttribute('value', 'Value must not contain a NUL character');
  const size = sizeOf(value);
  if (size > variableLimits.value) {
    throw invalidAttribute('value', `Value is too long (the maximum is ${variableLimits.value} bytes)`);
  }
  return size;
}

/** Throws `attribute/invalid` for a key that is not well formed, or what the category does not allow. */
export function checkVariable<Checked extends VariableSettings & Pick<Variable, 'size'>>(variable: Checked): Checked {
  checkKey(variable);
  if (variable.category !== 'env') return variable;
  if (variable.hcl) throw invalidAttribute('hcl', 'Hcl must be false for an environment variable');
  if (sizeOf(variable.key) + variable.size + 2 > variableLimits.environmentText) {
    const sentence = `Value of an environment variable is too long (the maximum is ${variableLimits.environmentText} bytes with its key)`;
    throw invalidAttribute('value', sentence);
  }
  return variable;
}

/** What is not named stays. Throws `attribute/invalid` as `checkVariable` does, and for what a sensitive one keeps for good. */
export function changedVariable(
  current: Variable,
  change: Partial<VariableSettings & Pick<Variable, 'sealedValue' | 'size'>>,
): Variable {
  const next = { ...current, ...change, revision: current.revision + 1 };
  if (current.sensitive) {
    if (!next.sensitive)
      throw invalidAttribute(
        'sensitive',
        'Sensitive cannot be changed to false. Delete the variable and create it again',
      );
    // Another place in the run might show what nobody is to see.
    if (next.key !== current.key) throw invalidAttribute('key', 'Key of a sensitive variable cannot be changed');
    if (next.category !== current.category) {
      throw invalidAttribute('category', 'Category of a sensitive variable cannot be changed');
    }
  }
  return checkVariable(next);
}

/** Throws `attribute/invalid` where a workspace would have more variables, or longer ones, than it may. */
export function checkRoom({ count, bytes }: VariableTotals): void {
  const { ofWorkspace } = variableLimits;
  if (count > ofWorkspace.count) {
    throw new DomainError('attribute/invalid', `A workspace can have at most ${ofWorkspace.count} variables`);
  }
  if (bytes > ofWorkspace.bytes) {
    const sentence = `Value is too long (the maximum is ${ofWorkspace.bytes} bytes for all variables of a workspace)`;
    throw invalidAttribute('value', sentence);
  }
}

/** A workspace has one variable of a key in each category. */
export const variableTaken = (): DomainError => alreadyTaken('key', 'Key');
