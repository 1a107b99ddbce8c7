import {
  type Instant,
  type LinkedRepository,
  notFound,
  type OrganizationId,
  type PolicyCommit,
  type RequestTrace,
  type WebhookId,
  type Workspace,
} from '../../../domain/index.js';
import { doneFromOutside } from '../../../domain/supporting/audit/audit-event.js';
import { policyCommit } from '../../../domain/supporting/policies/policy-set-version.js';
import { selectsPush } from '../../../domain/supporting/workspaces/file-triggers.js';
import { inWorkspace } from '../../ports/repositories/audit-trail.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type FetchedPolicies, isLinked, type LinkedPolicySet } from '../policies/fetched-policies.js';
import { activityOf } from '../runs/workspace-activity.js';
import type { FetchedVersions } from './fetched-version.js';
import { type ForgeDelivery, type ForgeEvent, reaches } from './forge-event.js';
import type { WebhookKeys } from './webhook-keys.js';

/**
 * POST /hooks/vcs/:id: creates a version of the linked workspace or policy set for a pushed commit, and a speculative one of a
 * workspace for a pull request's.
 */
export class ReceiveWebhook {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      'workspaces' | 'configurationVersions' | 'runs' | 'policySets' | 'policySetVersions' | 'effects' | 'audit'
    >,
    private readonly keys: WebhookKeys,
    private readonly versions: FetchedVersions,
    private readonly policies: FetchedPolicies,
  ) {}

  /** The organization of the webhook: to be asked before a body is read. Throws `resource/not-found` for an unknown id. */
  async admit(id: WebhookId): Promise<OrganizationId> {
    const { workspace, policySet } = await this.find(id);
    const linked = workspace ?? policySet;
    if (linked?.repository == null) throw notFound();
    return linked.organizationId;
  }

  /**
   * `read` checks the signature with the given key, and returns undefined if it does not match. Returns whether a
   * version was created: not for other branches and repositories, for forks, for what the settings leave out, or for
   * repeated reports. Throws `resource/not-found` both for an unknown id and for a wrong signature.
   */
  async execute(
    id: WebhookId,
    read: (key: string, now: Instant) => ForgeDelivery | undefined,
    request?: RequestTrace,
  ): Promise<boolean> {
    const { workspace, policySet } = await this.find(id);
    const delivery = this.keys.read((workspace ?? policySet)?.repository ?? null, read);
    if (delivery === undefined) throw notFound();
    const { event } = delivery;
    if (event === null) return false;
    if (workspace === undefined) return this.takePolicies(id, event, request);
    if (workspace.repository === null || !concerns(workspace, workspace.repository, event)) return false;
    return this.unitOfWork.run(async (tx) => {
      await tx.workspaces.lockRow(workspace.id);
      // The workspace may have been linked to another repository since the signature check.
      const current = await tx.workspaces.findByWebhook(id);
      if (current === undefined || current.repository === null) throw notFound();
      if (!concerns(current, current.repository, event)) return false;
      return this.take(tx, { ...current, repository: current.repository }, { id: delivery.id, event }, request);
    });
  }

  private find(id: WebhookId) {
    return this.unitOfWork.read(async (tx) => {
      const workspace = await tx.workspaces.findByWebhook(id);
      return { workspace, policySet: workspace === undefined ? await tx.policySets.findByWebhook(id) : undefined };
    });
  }

  /**
   * Deliveries need not be remembered: each leads to a fetch of the branch's current commit, so that one which is repeated,
   * or arrives after a later one, brings no older policies back.
   */
  private takePolicies(id: WebhookId, event: ForgeEvent, request: RequestTrace | undefined): Promise<boolean> {
    return this.unitOfWork.run(async (tx) => {
      const set = await tx.policySets.findByWebhook(id);
      if (set === undefined || !isLinked(set)) throw notFound();
      if (!changesPolicies(set, event)) return false;
      const commit = policyCommit({ ...event.commit, cloneUrl: set.repository.cloneUrl });
      const newest = set.versions && (await tx.policySetVersions.find(set.versions.newest.id));
      if (newest && newest.status !== 'errored' && isSameCommit(newest.commit, commit)) return false;
      const version = await this.policies.order(tx, set, { source: event.forge, commit });
      await tx.audit.add(doneFromOutside('forge', 'policy-sets/report', version.id, request), set);
      return true;
    });
  }

  private async take(
    tx: Transaction<'workspaces' | 'configurationVersions' | 'runs' | 'effects' | 'audit'>,
    workspace: Workspace & { readonly repository: LinkedRepository },
    { id, event }: { readonly id: string | null; readonly event: ForgeEvent },
    request: RequestTrace | undefined,
  ): Promise<boolean> {
    const { commit, defaultBranch, forge, ref } = event;
    const { repository } = workspace;
    const { branch, commitSha, isPullRequest } = commit;
    const { cloneUrl } = repository;
    const report = { workspaceId: workspace.id, delivery: id, cloneUrl, branch, commitSha, isPullRequest };
    if (await tx.configurationVersions.isKnown(report)) return false;
    const version = await this.versions.order(tx, workspace, {
      source: forge,
      speculative: isPullRequest,
      // Otherwise the workspace waits for its first run from a client.
      autoQueueRuns: isPullRequest || workspace.queueAllRuns || (await activityOf(tx, workspace.id)).runsCount > 0,
      createdBy: repository.linkedBy,
      ref,
      commitSha,
      attributes: { ...commit, cloneUrl, onDefaultBranch: branch === defaultBranch },
    });
    await tx.audit.add(
      doneFromOutside('forge', 'configuration-versions/report', version.id, request),
      inWorkspace(workspace),
    );
    if (id !== null) await tx.configurationVersions.addDelivery(workspace.id, id, version.id);
    return true;
  }
}

/** Whether the event is one that the workspace is set to plan. A push whose files are unknown is planned. */
function concerns(workspace: Workspace, repository: LinkedRepository, event: ForgeEvent): boolean {
  const files = event.changedFiles ?? null;
  return (
    reaches(repository, event) &&
    (event.commit.isPullRequest ? workspace.speculativeEnabled : true) &&
    (files === null || selectsPush(workspace, workspace.workingDirectory, files))
  );
}

/** Whether the event may change the policies of the set. A push whose files are unknown may. */
function changesPolicies({ repository, updatePatterns, policiesPath }: LinkedPolicySet, event: ForgeEvent): boolean {
  const files = event.changedFiles ?? null;
  const triggers = { fileTriggersEnabled: true, triggerPrefixes: [], triggerPatterns: updatePatterns };
  return (
    reaches(repository, event) &&
    !event.commit.isPullRequest &&
    (files === null || selectsPush(triggers, policiesPath ?? '', files))
  );
}

const isSameCommit = (one: PolicyCommit | null, other: PolicyCommit): boolean =>
  one?.cloneUrl === other.cloneUrl && one.branch === other.branch && one.commitSha === other.commitSha;
