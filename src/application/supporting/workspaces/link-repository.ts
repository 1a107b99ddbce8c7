import {
  type Actor,
  type AutoDestroyChange,
  authorize,
  type ExecutionChange,
  type ExecutionSettings,
  identityOf,
  type LinkedRepository,
  type ProjectId,
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
import type { WantedTags } from '../tags/tag-changes.js';
import type { ShownWorkspace } from './show-workspace.js';

/** The requested change of a workspace: unnamed settings keep their value; a null repository unlinks it. */
export interface WorkspaceChange extends Partial<Omit<WorkspaceSettings, keyof ExecutionSettings>> {
  readonly execution?: ExecutionChange;
  readonly repository?: RepositorySettings | null;
  readonly projectId?: ProjectId;
  readonly autoDestroy?: AutoDestroyChange;
  readonly tags?: WantedTags;
}

/** A changed workspace, with values that are shown only once. */
export interface ChangedWorkspace extends ShownWorkspace {
  /** The key of a newly created webhook. */
  readonly webhookKey?: string;
  /** The owners of tokens of the newly named pool, except for the caller. */
  readonly poolTokenCreators?: readonly TokenOwner[];
}

/** The repository link after a change. */
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

  /** A new repository gets a new webhook; the same one keeps its own. Throws `resource/not-found` without the right. */
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
    // The pattern accepts some invalid addresses, such as one with a port above 65535.
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
