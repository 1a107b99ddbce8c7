import {
  type Actor,
  authorize,
  checkRepository,
  cloneUrlRule,
  identityOf,
  invalidAttribute,
  type LinkedRepository,
  type OrganizationId,
  type RepositorySettings,
  type Standing,
  type WorkspaceSettings,
} from '../../domain/index.js';
import type { IdGenerator } from '../ports/id-generator.js';
import type { SecretBox } from '../ports/secret-box.js';
import type { SecretGenerator } from '../ports/secret-generator.js';
import type { Transaction } from '../ports/unit-of-work.js';
import type { ShownWorkspace } from './show-workspace.js';

/** What a request says of a workspace: what is not named stays; a null repository is unlinked. */
export interface WorkspaceChange extends Partial<WorkspaceSettings> {
  readonly repository?: RepositorySettings | null;
}

/** A workspace after a change, with the key of its webhook when the change made one: it is shown this once. */
export interface ChangedWorkspace extends ShownWorkspace {
  readonly webhookKey?: string;
}

interface Linked {
  readonly repository: LinkedRepository | null;
  readonly webhookKey?: string;
}

/** Links workspaces to repositories. */
export class RepositoryLinks {
  constructor(
    private readonly ids: IdGenerator,
    private readonly secrets: SecretGenerator,
    private readonly box: SecretBox,
  ) {}

  /** Another repository gets another webhook; the same one keeps its own. Throws `resource/not-found` without the right. */
  change(
    actor: Actor,
    standing: Standing,
    current: LinkedRepository | null,
    asked: RepositorySettings | null | undefined,
  ): Linked {
    if (asked === undefined || (asked === null && current === null)) return { repository: current };
    authorize(standing, 'workspaces/link-repository');
    if (asked === null) return { repository: null };
    const linkedBy = identityOf(actor);
    checkRepository(asked);
    // The form alone lets addresses pass that nothing can be asked at, as those with a port beyond all ports.
    if (!URL.canParse(asked.cloneUrl)) throw invalidAttribute('vcs-repo/clone-url', cloneUrlRule);
    if (current?.cloneUrl === asked.cloneUrl) return { repository: { ...current, ...asked, linkedBy } };
    const webhookKey = this.secrets.generateWebhookKey();
    const webhookId = this.ids.next('webhook');
    return {
      webhookKey,
      repository: { ...asked, webhookId, sealedWebhookKey: this.box.seal(webhookKey), linkedBy },
    };
  }
}

/** Throws `attribute/invalid` unless the pool, if any is named, is the organization's. */
export async function checkAgentPool(
  tx: Transaction,
  actor: Actor,
  organizationId: OrganizationId,
  { agentPoolId }: Partial<WorkspaceSettings>,
): Promise<void> {
  if (agentPoolId === undefined || agentPoolId === null) return;
  const pool = await tx.agentPools.findFor(actor, agentPoolId);
  const held =
    pool?.subject.organizationId === organizationId && (await tx.holds.share({ kind: 'agent-pool', id: agentPoolId }));
  if (!held) {
    throw invalidAttribute('agent-pool-id', 'Agent pool must be one of the organization');
  }
}
