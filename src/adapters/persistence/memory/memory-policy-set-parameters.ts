import { sealPrefix, sealPrefixOf } from '../../../application/ports/outside/secret-box.js';
import type { PolicySetParameterRepository } from '../../../application/ports/repositories/policy-repository.js';
import {
  type Actor,
  type PolicySetId,
  type PolicySetParameter,
  type PolicySetParameterId,
  parameterTaken,
  type WithStanding,
} from '../../../domain/index.js';
import { standingIn } from './memory-standing.js';
import { byText, type CurrentTables, checkRevision, compare } from './memory-tables.js';

export class MemoryPolicySetParameters implements PolicySetParameterRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(
    actor: Actor,
    policySetId: PolicySetId,
    id: PolicySetParameterId,
  ): Promise<WithStanding<PolicySetParameter> | undefined> {
    const subject = this.living().find((one) => one.id === id && one.policySetId === policySetId);
    const set = this.tables().policySets.get(policySetId);
    return subject && set && { subject, standing: standingIn(this.tables(), actor, set.organizationId) };
  }

  async ofSets(ids: readonly PolicySetId[]): Promise<readonly PolicySetParameter[]> {
    return this.living()
      .filter(({ policySetId }) => ids.includes(policySetId))
      .sort((a, b) => compare(a.key, b.key) || compare(a.id, b.id));
  }

  async add(parameter: PolicySetParameter): Promise<void> {
    this.checkKey(parameter);
    this.tables().policySetParameters.set(parameter.id, parameter);
  }

  async save(parameter: PolicySetParameter): Promise<void> {
    checkRevision(this.tables().policySetParameters.get(parameter.id), parameter);
    this.checkKey(parameter);
    this.tables().policySetParameters.set(parameter.id, parameter);
  }

  async remove(id: PolicySetParameterId): Promise<boolean> {
    return this.tables().policySetParameters.delete(id);
  }

  async sealedOtherwise(
    fingerprint: string,
    after: PolicySetParameterId,
    limit: number,
  ): Promise<readonly PolicySetParameter[]> {
    return this.living()
      .filter(({ id, sealedValue }) => id > after && sealPrefixOf(sealedValue) !== sealPrefix(fingerprint))
      .sort(byText(({ id }) => id))
      .slice(0, limit);
  }

  private living(): readonly PolicySetParameter[] {
    const tables = this.tables();
    return [...tables.policySetParameters.values()].filter(({ policySetId }) => {
      const set = tables.policySets.get(policySetId);
      return set !== undefined && tables.organization(set.organizationId) !== undefined;
    });
  }

  private checkKey({ id, policySetId, key }: PolicySetParameter): void {
    const same = (other: PolicySetParameter) =>
      other.id !== id && other.policySetId === policySetId && other.key === key;
    if ([...this.tables().policySetParameters.values()].some(same)) throw parameterTaken();
  }
}
