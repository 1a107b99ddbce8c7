import { alreadyTaken, DomainError, invalidAttribute } from '../../shared/domain-error.js';
import type { Instant, PolicySetId, PolicySetParameterId } from '../../shared/id.js';
import { revised } from '../../shared/revision.js';

export interface PolicySetParameterSettings {
  readonly key: string;
  /** Whether the value is write-only. */
  readonly sensitive: boolean;
}

/** A value for the policies of a set, which they read as `data.parameters`. */
export interface PolicySetParameter extends PolicySetParameterSettings {
  readonly id: PolicySetParameterId;
  readonly policySetId: PolicySetId;
  /** The encrypted value, sensitive or not: evaluations need it again. */
  readonly sealedValue: string;
  readonly createdAt: Instant;
  readonly revision: number;
}

/** Lists of parameters and agent jobs are not paginated; these limits bound their size. */
export const parameterLimits = { key: 255, value: 64 * 1024, ofSet: 100 } as const;

const controlCharacter = /[\p{Cc}\u2028\u2029]/u;

/** Throws `attribute/invalid` for a malformed key. */
function checkKey(key: string): void {
  if (key === '') throw invalidAttribute('key', "Key can't be blank");
  if (key.length > parameterLimits.key) {
    throw invalidAttribute('key', `Key is too long (the maximum is ${parameterLimits.key})`);
  }
  if (controlCharacter.test(key)) {
    throw invalidAttribute('key', 'Key must not contain line breaks or control characters');
  }
}

/** Throws `attribute/invalid` for a malformed key, and if the set has its maximum of parameters. */
export function newParameter(parameter: PolicySetParameter, others: number): PolicySetParameter {
  checkKey(parameter.key);
  if (others >= parameterLimits.ofSet) {
    throw new DomainError('attribute/invalid', `A policy set can have at most ${parameterLimits.ofSet} parameters`);
  }
  return parameter;
}

/** Unnamed settings keep their value. Throws `attribute/invalid` for changes that a sensitive parameter does not allow. */
export function changedParameter(
  current: PolicySetParameter,
  change: Partial<PolicySetParameterSettings & Pick<PolicySetParameter, 'sealedValue'>>,
): PolicySetParameter {
  const next = revised(current, change);
  if (next.key !== current.key) checkKey(next.key);
  if (current.sensitive && !next.sensitive) {
    const sentence = 'Sensitive cannot be changed to false. Delete the parameter and create it again';
    throw invalidAttribute('sensitive', sentence);
  }
  return next;
}

/** A key is unique within a set. */
export const parameterTaken = (): DomainError => alreadyTaken('key', 'Key');
