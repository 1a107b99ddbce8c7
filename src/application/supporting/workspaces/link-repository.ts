import {
  type Actor,
  authorize,
  type ExecutionChange,
  type ExecutionSettings,
  identityOf,
  type LinkedRepository,
  type RepositorySettings,
  type Standing,
  type TokenOwner,
  type WorkspaceSettings,
} from '../../../domain/index.js';
import { invalidAttribute } from '../../../domain/shared/domain-error.js';
import { checkRepository, cloneUrlRule } from '../../../domain/supporting/workspaces/workspace.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { ShownWorkspace } from './show-workspace.js';

/** What a request says of a workspace: what is not named stays; a null repository is unlinked. */
export interface WorkspaceChange extends Partial<Omit<WorkspaceSettings, keyof ExecutionSettings>> {
  readonly execution?: ExecutionChange;
  readonly repository?: RepositorySettings | null;
}

/** A workspace after a change, with what is shown this once. */
export interface ChangedWorkspace extends ShownWorkspace {
  /** Of the webhook that the change made. */
  readonly webhookKey?: string;
  /** Who holds tokens of the pool that the change named, but the caller. */
  readonly poolTokenCreators?: readonly TokenOwner[];
}

/** What a workspace is linked to after a change. */
export interface RepositoryLink {
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
  ): RepositoryLink {
    if (asked === undefined || (asked === null && current === null)) return { repository: current };
    authorize(standing, 'workspaces/link-repository');
    if (asked === null) return { repository: null };
    const linkedBy = identityOf(actor);
    checkRepository(asked);
    // The form alone lets addresses pass that nothing can be asked at, as those with a port beyond all ports.
    if (!URL.canParse(asked.cloneUrl)) throw invalidAttribute('vcsRepo/cloneUrl', cloneUrlRule);
    if (current?.cloneUrl === asked.cloneUrl) return { repository: { ...current, ...asked, linkedBy } };
    const webhookKey = this.secrets.generateWebhookKey();
    const webhookId = this.ids.next('webhook');
    return {
      webhookKey,
      repository: { ...asked, webhookId, sealedWebhookKey: this.box.seal(webhookKey), linkedBy },
    };
  }
}
