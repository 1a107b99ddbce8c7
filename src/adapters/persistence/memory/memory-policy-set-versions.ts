import type { PolicySetVersionRepository } from '../../../application/ports/repositories/policy-repository.js';
import {
  type Actor,
  type Instant,
  type PolicySetId,
  type PolicySetVersion,
  type PolicySetVersionId,
  runStatusesInProgress,
  type WithStanding,
} from '../../../domain/index.js';
import { standingIn } from './memory-standing.js';
import { byText, type CurrentTables, checkRevision, present } from './memory-tables.js';

export class MemoryPolicySetVersions implements PolicySetVersionRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: PolicySetVersionId): Promise<WithStanding<PolicySetVersion> | undefined> {
    const subject = this.living(id);
    if (subject === undefined || subject.policySetId === null) return undefined;
    return { subject, standing: standingIn(this.tables(), actor, subject.organizationId) };
  }

  async find(id: PolicySetVersionId): Promise<PolicySetVersion | undefined> {
    return this.living(id);
  }

  async allOf(ids: readonly PolicySetVersionId[]): Promise<readonly PolicySetVersion[]> {
    return present([...new Set(ids)].map((id) => this.living(id))).sort(byText(({ id }) => id));
  }

  async add(version: PolicySetVersion): Promise<void> {
    this.tables().policySetVersions.set(version.id, version);
  }

  async save(version: PolicySetVersion): Promise<void> {
    const stored = this.tables().policySetVersions.get(version.id);
    checkRevision(stored, version);
    const supersededAt = version.supersededAt ?? stored?.supersededAt ?? null;
    this.tables().policySetVersions.set(version.id, { ...version, supersededAt });
  }

  async supersede(id: PolicySetVersionId, now: Instant): Promise<void> {
    this.change(
      (version) => version.id === id && version.supersededAt === null,
      () => ({ supersededAt: now }),
    );
  }

  async release(policySetId: PolicySetId, now: Instant): Promise<void> {
    this.change(
      (version) => version.policySetId === policySetId,
      ({ supersededAt }) => ({ policySetId: null, supersededAt: supersededAt ?? now }),
    );
  }

  async unneeded(before: Instant, limit: number): Promise<readonly PolicySetVersion[]> {
    const tables = this.tables();
    const inProgress = [...tables.taskStages.values()].filter(({ runId }) => {
      const run = tables.runs.get(runId);
      return run !== undefined && runStatusesInProgress.includes(run.status);
    });
    const sets = inProgress.flatMap(({ evaluations }) => evaluations.flatMap(({ policySets }) => policySets));
    const needed = new Set(sets.map(({ archive }) => archive?.versionId));
    return present([...tables.policySetVersions.keys()].map((id) => this.living(id)))
      .filter(({ id, bundle, supersededAt }) => {
        return bundle !== null && supersededAt !== null && supersededAt < before && !needed.has(id);
      })
      .sort(byText(({ supersededAt }) => supersededAt ?? ''))
      .slice(0, limit);
  }

  private living(id: PolicySetVersionId): PolicySetVersion | undefined {
    const version = this.tables().policySetVersions.get(id);
    return version && this.tables().organization(version.organizationId) ? version : undefined;
  }

  private change(
    applies: (version: PolicySetVersion) => boolean,
    change: (version: PolicySetVersion) => Partial<PolicySetVersion>,
  ): void {
    const { policySetVersions } = this.tables();
    for (const [id, version] of policySetVersions) {
      if (applies(version)) policySetVersions.set(id, { ...version, ...change(version) });
    }
  }
}
