import {
  type IngressAttributes,
  type Instant,
  type LinkedRepository,
  notFound,
  type RequestTrace,
  type WebhookId,
  type Workspace,
} from '../../../domain/index.js';
import { doneFromOutside } from '../../../domain/supporting/audit/audit-event.js';
import { selectsPush } from '../../../domain/supporting/workspaces/file-triggers.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { activityOf } from '../workspaces/show-workspace.js';
import type { FetchedVersions } from './fetched-version.js';

/** The relevant part of a forge's report. */
export interface ForgeEvent {
  readonly forge: string;
  /** The URLs by which the forge knows the repository. */
  readonly repositoryUrls: readonly string[];
  readonly defaultBranch: string | null;
  /** The ref the commit can be fetched from. */
  readonly ref: string;
  readonly commit: Omit<IngressAttributes, 'id' | 'cloneUrl' | 'onDefaultBranch'>;
  /** Undefined for a push. */
  readonly baseBranch?: string;
  readonly fromFork?: boolean;
  /** The files that a push changed; null if unknown, undefined for a pull request. */
  readonly changedFiles?: readonly string[] | null;
}

export interface ForgeDelivery {
  /** The forge's id of the report; null if it has none. */
  readonly id: string | null;
  /** Null if the report is not relevant. */
  readonly event: ForgeEvent | null;
}

/** POST /hooks/vcs/:id: creates a version for a pushed commit, and a speculative one for a pull request's. */
export class ReceiveWebhook {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'configurationVersions' | 'runs' | 'effects' | 'audit'>,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
    private readonly box: SecretBox,
    private readonly versions: FetchedVersions,
  ) {}

  /**
   * `read` checks the signature with the given key, and returns undefined if it does not match. Returns whether a
   * version was created: not for other branches and repositories, for forks, for what the workspace's settings leave out, or
   * for repeated reports. Throws
   * `resource/not-found` both for an unknown id and for a wrong signature.
   */
  async execute(
    id: WebhookId,
    read: (key: string, now: Instant) => ForgeDelivery | undefined,
    request?: RequestTrace,
  ): Promise<boolean> {
    const workspace = await this.unitOfWork.read((tx) => tx.workspaces.findByWebhook(id));
    const repository = workspace?.repository ?? null;
    // A signature is always checked, so that the response time does not reveal which ids exist.
    const key = repository === null ? this.secrets.generateWebhookKey() : this.box.open(repository.sealedWebhookKey);
    const delivery = read(key, this.clock.now());
    if (workspace === undefined || repository === null || delivery === undefined) throw notFound();
    const { event } = delivery;
    if (event === null || !concerns(workspace, repository, event)) return false;
    return this.unitOfWork.run(async (tx) => {
      await tx.workspaces.lockRow(workspace.id);
      // The workspace may have been linked to another repository since the signature check.
      const current = await tx.workspaces.findByWebhook(id);
      if (current === undefined || current.repository === null) throw notFound();
      if (!concerns(current, current.repository, event)) return false;
      return this.take(tx, { ...current, repository: current.repository }, { id: delivery.id, event }, request);
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
    await tx.audit.add(doneFromOutside('forge', 'configuration-versions/report', version.id, request), workspace);
    if (id !== null) await tx.configurationVersions.addDelivery(workspace.id, id, version.id);
    return true;
  }
}

/**
 * Whether the event concerns the linked repository and branch, and what the workspace is set to plan. A forge may know a
 * repository by another host name than the service does, so only the path is compared. Any user can create commits in a
 * fork, so those are never planned. A push whose files are unknown is planned.
 */
function concerns(workspace: Workspace, repository: LinkedRepository, event: ForgeEvent): boolean {
  const ours = pathOf(repository.cloneUrl);
  const branch = event.baseBranch ?? event.commit.branch;
  const files = event.changedFiles ?? null;
  return (
    event.fromFork !== true &&
    branch === (repository.branch ?? event.defaultBranch) &&
    event.repositoryUrls.some((url) => pathOf(url) === ours) &&
    (event.commit.isPullRequest ? workspace.speculativeEnabled : true) &&
    (files === null || selectsPush(workspace, workspace.workingDirectory, files))
  );
}

const pathOf = (url: string): string =>
  withoutLastSlashes(url.replace(/^[a-z+]+:\/\/[^/]*/i, ''))
    .replace(/\.git$/, '')
    .toLowerCase();

/** Not a regular expression, which would backtrack at each of many slashes. */
function withoutLastSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
