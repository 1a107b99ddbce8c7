import { alreadyTaken, DomainError, invalidAttribute } from '../../shared/domain-error.js';
import type { Instant, VariableId, VariableSetId, WorkspaceId } from '../../shared/id.js';
import { revised } from '../../shared/revision.js';

export const variableCategories = ['terraform', 'env'] as const;

export interface VariableSettings {
  readonly key: string;
  readonly description: string | null;
  readonly category: (typeof variableCategories)[number];
  /** Whether the value is an expression of the configuration language rather than text. */
  readonly hcl: boolean;
  /** Whether the value is write-only. */
  readonly sensitive: boolean;
}

/** A variable for terraform or for its environment, as it is stored. */
export interface StoredVariable extends VariableSettings {
  readonly id: VariableId;
  /** The encrypted value, sensitive or not: runs need it again. */
  readonly sealedValue: string;
  /** The size of the value in bytes of UTF-8. */
  readonly size: number;
  readonly createdAt: Instant;
  readonly revision: number;
}

/** A variable of a workspace's runs. */
export interface Variable extends StoredVariable {
  readonly workspaceId: WorkspaceId;
}

/** A variable of a variable set. */
export interface SetVariable extends StoredVariable {
  readonly variableSetId: VariableSetId;
}

/** The totals over all variables of a workspace, or of an organization's variable sets. */
export interface VariableTotals {
  readonly count: number;
  readonly bytes: number;
}

const kibi = 1024;

/** Variable lists and agent jobs are not paginated; these limits bound their size. */
export const variableLimits = {
  key: 255,
  description: 512,
  value: 256 * kibi,
  /** Linux does not start a program with a longer environment string; the key, the `=` and the terminator count. */
  environmentText: 128 * kibi,
  ofWorkspace: { count: 1000, bytes: 4 * kibi * kibi },
  /** All variable sets of an organization together: each of them may apply to the same workspace. */
  ofSets: { count: 5000, bytes: 8 * kibi * kibi },
} as const;

const controlCharacter = /[\p{Cc}\u2028\u2029]/u;
/** An identifier of the configuration language, which may also begin with a digit, as clients allow. */
const terraformKey = /^[\p{ID_Start}_0-9][\p{ID_Continue}-]*$/u;
/** A name of the shell, which may also begin with a digit. */
const environmentKey = /^[A-Za-z0-9_]+$/;

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
  if (category === 'terraform' && !terraformKey.test(key)) {
    throw invalid(
      'Key of a Terraform variable must consist of letters, digits, underscores and dashes and must not begin with a dash',
    );
  }
  if (category === 'env' && !environmentKey.test(key)) {
    throw invalid('Key of an environment variable must consist of letters A to Z, digits and underscores');
  }
}

/**
 * Returns the `size` of a value. Throws `attribute/invalid` for a value that is malformed or too long for any variable.
 */
export function checkValue(value: string): number {
  if (value.includes('\0')) throw invalidAttribute('value', 'Value must not contain a NUL character');
  const size = sizeOf(value);
  if (size > variableLimits.value) {
    throw invalidAttribute('value', `Value is too long (the maximum is ${variableLimits.value} bytes)`);
  }
  return size;
}

/** Throws `attribute/invalid` for a key that is malformed or that the category does not allow. */
export function checkVariable<Checked extends VariableSettings & Pick<StoredVariable, 'size'>>(
  variable: Checked,
): Checked {
  checkKey(variable);
  return checkCategory(variable);
}

function checkCategory<Checked extends VariableSettings & Pick<StoredVariable, 'size'>>(variable: Checked): Checked {
  if (variable.category !== 'env') return variable;
  if (variable.hcl) throw invalidAttribute('hcl', 'Hcl must be false for an environment variable');
  if (sizeOf(variable.key) + variable.size + 2 > variableLimits.environmentText) {
    const sentence = `Value of an environment variable is too long (the maximum is ${variableLimits.environmentText} bytes with its key)`;
    throw invalidAttribute('value', sentence);
  }
  return variable;
}

/**
 * Unnamed settings keep their value. Throws `attribute/invalid` as `checkVariable` does, and for changes that a
 * sensitive variable does not allow.
 */
export function changedVariable<Changed extends StoredVariable>(
  current: Changed,
  change: Partial<VariableSettings & Pick<StoredVariable, 'sealedValue' | 'size'>>,
): Changed {
  const next = { ...revised(current), ...change };
  if (current.sensitive) {
    if (!next.sensitive)
      throw invalidAttribute(
        'sensitive',
        'Sensitive cannot be changed to false. Delete the variable and create it again',
      );
    // Under another key or category, a run could reveal the stored value.
    if (next.key !== current.key) throw invalidAttribute('key', 'Key of a sensitive variable cannot be changed');
    if (next.category !== current.category && change.sealedValue === undefined) {
      throw invalidAttribute(
        'category',
        'Category of a sensitive variable can be changed only together with its value',
      );
    }
  }
  // Earlier releases allowed other keys.
  const renamed = next.key !== current.key || next.category !== current.category;
  return renamed ? checkVariable(next) : checkCategory(next);
}

const owners = {
  ofWorkspace: ['A workspace', 'a workspace'],
  ofSets: ['The variable sets of an organization', "an organization's variable sets"],
} as const;

/** Throws `attribute/invalid` if the owner would exceed its limit on the number or total size of variables. */
export function checkRoom({ count, bytes }: VariableTotals, within: keyof typeof owners = 'ofWorkspace'): void {
  const [owner, ofOwner] = owners[within];
  const max = variableLimits[within];
  if (count > max.count) {
    throw new DomainError('attribute/invalid', `${owner} can have at most ${max.count} variables`);
  }
  if (bytes > max.bytes) {
    const sentence = `Value is too long (the maximum is ${max.bytes} bytes for all variables of ${ofOwner})`;
    throw invalidAttribute('value', sentence);
  }
}

/** A key is unique within a category of a workspace, or of a variable set. */
export const variableTaken = (): DomainError => alreadyTaken('key', 'Key');
