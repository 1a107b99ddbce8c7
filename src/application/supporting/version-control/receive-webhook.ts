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
import type { Clock } from '../../ports/outside/clock.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { FetchedVersions } from './fetched-version.js';

/** What a forge reported, as far as anything follows from it. */
export interface ForgeEvent {
  readonly forge: string;
  /** Under which the forge knows the repository. */
  readonly repositoryUrls: readonly string[];
  readonly defaultBranch: string | null;
  /** Where the commit can be fetched. */
  readonly ref: string;
  readonly commit: Omit<IngressAttributes, 'id' | 'cloneUrl' | 'onDefaultBranch'>;
  /** Undefined for a push. */
  readonly baseBranch?: string;
  readonly fromFork?: boolean;
}

export interface ForgeDelivery {
  /** The forge's own name of it, null when it gave none. */
  readonly id: string | null;
  /** Null when nothing follows from it. */
  readonly event: ForgeEvent | null;
}

/** POST /hooks/vcs/:id: a pushed commit becomes a version, a pull request's a speculative one. */
export class ReceiveWebhook {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'configurationVersions' | 'effects' | 'audit'>,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
    private readonly box: SecretBox,
    private readonly versions: FetchedVersions,
  ) {}

  /**
   * `read` checks the signature with the key it is given, and answers undefined when it does not fit. Answers whether
   * a version was made: not for other branches and repositories, for forks, and for what was reported before. Throws
   * `resource/not-found` for an unknown id and for a wrong signature alike.
   */
  async execute(
    id: WebhookId,
    read: (key: string, now: Instant) => ForgeDelivery | undefined,
    request?: RequestTrace,
  ): Promise<boolean> {
    const workspace = await this.unitOfWork.read((tx) => tx.workspaces.findByWebhook(id));
    const repository = workspace?.repository ?? null;
    // A signature is checked in any case: how long the answer takes must not tell which ids exist.
    const key = repository === null ? this.secrets.generateWebhookKey() : this.box.open(repository.sealedWebhookKey);
    const delivery = read(key, this.clock.now());
    if (workspace === undefined || repository === null || delivery === undefined) throw notFound();
    const { event } = delivery;
    if (event === null || !concerns(repository, event)) return false;
    return this.unitOfWork.run(async (tx) => {
      await tx.workspaces.takeTurn(workspace.id);
      // Since its signature was checked the workspace may have been linked to something else.
      const current = await tx.workspaces.findByWebhook(id);
      if (current === undefined || current.repository === null) throw notFound();
      if (!concerns(current.repository, event)) return false;
      return this.take(tx, { ...current, repository: current.repository }, { id: delivery.id, event }, request);
    });
  }

  private async take(
    tx: Transaction<'workspaces' | 'configurationVersions' | 'effects' | 'audit'>,
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
 * Whether the event is about the linked repository and branch. Forges may know a repository by another host name than
 * we do, so only the path is compared. A fork's commits are anybody's, and are never planned.
 */
function concerns(repository: LinkedRepository, event: ForgeEvent): boolean {
  const ours = pathOf(repository.cloneUrl);
  const branch = event.baseBranch ?? event.commit.branch;
  return (
    event.fromFork !== true &&
    branch === (repository.branch ?? event.defaultBranch) &&
    event.repositoryUrls.some((url) => pathOf(url) === ours)
  );
}

const pathOf = (url: string): string =>
  withoutLastSlashes(url.replace(/^[a-z+]+:\/\/[^/]*/i, ''))
    .replace(/\.git$/, '')
    .toLowerCase();

/** By hand: a pattern would begin anew at each of many slashes. */
function withoutLastSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
