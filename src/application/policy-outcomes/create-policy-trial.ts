import {
  type Actor,
  authorized,
  DomainError,
  identityOf,
  may,
  type PolicySet,
  type PolicySetId,
  type PolicyTrial,
  type PolicyTrialId,
  type RunState,
  type Standing,
  type TrialParameter,
  type TrialPlan,
  trialLimits,
  type WithStanding,
  type WorkspaceId,
  workspaceVisibility,
} from '../../domain/index.js';
import {
  checkOpenTrials,
  checkTrialParameters,
  newTrial,
  planNotKept,
  settledTrial,
} from '../../domain/policy-outcomes/policy-trial.js';
import { foundInBody } from '../../domain/shared/domain-error.js';
import { changing } from '../../domain/supporting/audit/change.js';
import { policiesIn } from '../../domain/supporting/policies/policy-files.js';
import { checkPolicySet } from '../../domain/supporting/policies/policy-set.js';
import type { BundleFacts, BundleInspector } from '../ports/outside/bundle-inspector.js';
import type { Clock } from '../ports/outside/clock.js';
import type { IdGenerator } from '../ports/outside/id-generator.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';

export interface NewPolicyTrial {
  /** A `.tar.gz`, as an upload of a policy set version. */
  readonly archive: Uint8Array;
  readonly policyToolVersion: string | null;
  readonly parameters: readonly TrialParameter[];
  /** The number of plans. */
  readonly plans: number;
  /** The set whose recorded outcomes are compared; without workspaces, also whose workspaces. */
  readonly policySetId: PolicySetId | undefined;
  readonly workspaceIds: readonly WorkspaceId[];
}

type Needed = 'organizations' | 'workspaces' | 'runs' | 'policySets' | 'policyTrials' | 'audit';
type Reading = Transaction<Needed>;

const runsAtATime = 100;

/** POST /organizations/:name/policy-trials. */
export class CreatePolicyTrial {
  constructor(
    private readonly unitOfWork: UnitOfWork<Needed>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly inspector: BundleInspector,
  ) {}

  /** Authorizes the caller, whose long request is then read. Returns the id of the organization. */
  async admit(actor: Actor, organizationName: string): Promise<string> {
    const seen = await this.unitOfWork.read((tx) => tx.organizations.findFor(actor, organizationName));
    return authorized(seen, 'policy-trials/manage').id;
  }

  /**
   * The plans are the newest that the caller may read. Throws `attribute/invalid`, `bundle/malformed`, with the line,
   * `bundle/over-limit`, and `policy-trial/busy`.
   */
  async execute(actor: Actor, organizationName: string, asked: NewPolicyTrial): Promise<PolicyTrial> {
    checkTrialParameters(asked.parameters);
    checkPolicySet({ policyToolVersion: asked.policyToolVersion });
    const { policies, facts } = await this.inspected(asked.archive);
    const asker = identityOf(actor);
    return this.unitOfWork.run(async (tx) => {
      const organization = await tx.organizations.findFor(actor, organizationName);
      const { subject, standing, done } = changing(actor, organization, 'policy-trials/manage');
      const set = asked.policySetId === undefined ? undefined : await comparedSet(tx, actor, asked.policySetId);
      if (set !== undefined && set.organizationId !== subject.id) throw foreign('Policy set', 'policySet');
      checkOpenTrials(await tx.policyTrials.askersOfOpen(subject.id), asker);
      const now = this.clock.now();
      const queued = newTrial({
        id: this.ids.next('policy-trial'),
        organizationId: subject.id,
        policySetId: set?.id ?? null,
        policies,
        policyToolVersion: asked.policyToolVersion,
        parameters: asked.parameters,
        archive: { sha256: facts.sha256, bytes: facts.bytes },
        requestedBy: asker,
        createdAt: now,
      });
      const runs = await newestRuns(tx, actor, { subject, standing }, set, asked);
      const plans = await plansOf(tx, queued.id, runs, set?.id ?? null);
      await tx.policyTrials.add(queued, asked.archive, plans);
      const waiting = plans.filter(({ now: known }) => known === null).length;
      const trial = settledTrial(queued, { waiting, leased: 0 }, now);
      if (trial !== queued) await tx.policyTrials.save(trial);
      await tx.audit.add(done(trial.id, { code: [{ sha256: facts.sha256 }] }), { organizationId: subject.id });
      return trial;
    });
  }

  private async inspected(archive: Uint8Array) {
    const inspection = this.inspector.inspectPolicies(
      (async function* () {
        // A copy: the inspection takes ownership of what it is given.
        yield archive.slice();
      })(),
    );
    for await (const _ of inspection.bytes);
    const facts: BundleFacts = inspection.facts();
    return { policies: policiesIn('opa', inspection.files()).policies, facts };
  }
}

const foreign = (label: string, relationship: string): DomainError =>
  new DomainError('attribute/invalid', `${label} must belong to the organization`, { relationship });

async function comparedSet(tx: Reading, actor: Actor, id: PolicySetId): Promise<PolicySet> {
  const seen = await tx.policySets.findFor(actor, id);
  const set = foundInBody('Policy set', { relationship: 'policySet' }, () => authorized(seen, 'policy-sets/manage'));
  if (set.kind === 'opa') return set;
  throw new DomainError('attribute/invalid', 'Policy set must be of kind opa: agents evaluate no others', {
    relationship: 'policySet',
  });
}

type Organization = WithStanding<{ readonly id: string }>;

/** The newest runs that have a plan: at most as many as the request asks for. */
async function newestRuns(
  tx: Reading,
  actor: Actor,
  { subject, standing }: Organization,
  set: PolicySet | undefined,
  { workspaceIds, plans }: NewPolicyTrial,
): Promise<readonly RunState[]> {
  const found =
    workspaceIds.length > 0
      ? await runsOfWorkspaces(tx, actor, subject.id, workspaceIds)
      : set === undefined
        ? []
        : await runsOfSet(tx, subject.id, standing, set.id, plans);
  return found
    .filter(hasPlan)
    .sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1))
    .slice(0, plans);
}

const hasPlan = ({ planned }: RunState): boolean => planned !== null;

async function runsOfWorkspaces(
  tx: Reading,
  actor: Actor,
  organizationId: string,
  ids: readonly WorkspaceId[],
): Promise<RunState[]> {
  const runs: RunState[] = [];
  for (const id of new Set(ids)) {
    const seen = await tx.workspaces.findFor(actor, id);
    const workspace = foundInBody('Workspace', { relationship: 'workspaces' }, () => authorized(seen, 'runs/read'));
    if (workspace.organizationId !== organizationId) throw foreign('Workspaces', 'workspaces');
    runs.push(...(await tx.runs.page(id, { number: 1, size: runsAtATime })).items);
  }
  return runs;
}

/** Among the newest runs of the organization, from pages of its list. */
async function runsOfSet(
  tx: Reading,
  organizationId: string,
  standing: Standing,
  setId: PolicySetId,
  wanted: number,
): Promise<RunState[]> {
  const runs: RunState[] = [];
  const visibility = workspaceVisibility(standing);
  for (let number = 1; number <= trialLimits.runs / runsAtATime && runs.length < wanted; number += 1) {
    const page = await tx.runs.pageOfOrganization(organizationId, standing, visibility, {
      number,
      size: runsAtATime,
    });
    const readable = page.items.filter(({ standing: onWorkspace }) => may(onWorkspace, 'runs/read'));
    const planned = readable.map(({ subject }) => subject).filter(hasPlan);
    const among = new Set(planned.map(({ workspaceId }) => workspaceId));
    const applied = new Set(await tx.policySets.appliedAmong(setId, [...among]));
    runs.push(...planned.filter(({ workspaceId }) => applied.has(workspaceId)));
    if (page.items.length < runsAtATime) break;
  }
  return runs;
}

async function plansOf(
  tx: Reading,
  trialId: PolicyTrialId,
  runs: readonly RunState[],
  policySetId: PolicySetId | null,
): Promise<readonly TrialPlan[]> {
  const ids = runs.map(({ id }) => id);
  const plans = await tx.policyTrials.plansOf(ids, policySetId);
  return runs.map(({ id, workspaceId }, position) => {
    const plan = plans.get(id);
    const now = plan?.kept ? null : planNotKept;
    return { trialId, runId: id, workspaceId, position, before: plan?.before ?? null, now };
  });
}
