import {
  type Actor,
  authorize,
  identityOf,
  type LinkedRepository,
  type RepositorySettings,
  type Standing,
} from '../../../domain/index.js';
import { invalidAttribute } from '../../../domain/shared/domain-error.js';
import { checkRepository, cloneUrlRule } from '../../../domain/shared/linked-repository.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';

/** The caller, the standing, and the action it must allow. */
export interface Linking {
  readonly actor: Actor;
  readonly standing: Standing;
  readonly action: 'workspaces/link-repository' | 'policy-sets/link-repository';
}

/** The repository link after a change. */
export interface RepositoryLink {
  readonly repository: LinkedRepository | null;
  readonly webhookKey?: string;
}

/** Links workspaces and policy sets to repositories. */
export class RepositoryLinks {
  constructor(
    private readonly ids: IdGenerator,
    private readonly secrets: SecretGenerator,
    private readonly box: SecretBox,
  ) {}

  /** A new repository gets a new webhook; the same one keeps its own. Throws `resource/not-found` without the right. */
  change(
    { actor, standing, action }: Linking,
    current: LinkedRepository | null,
    asked: RepositorySettings | null | undefined,
  ): RepositoryLink {
    if (asked === undefined || (asked === null && current === null)) return { repository: current };
    authorize(standing, action);
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
