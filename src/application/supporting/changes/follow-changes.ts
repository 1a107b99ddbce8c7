import {
  type Actor,
  authorized,
  authorizedView,
  identityOf,
  notFound,
  type Workspace,
  type WorkspaceId,
  workspaceVisibility,
} from '../../../domain/index.js';
import type { ChangeListener, Changes } from '../../ports/outside/changes.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { ChangeFeed, Follower } from './change-feed.js';
import { makerOf } from './token-maker.js';

/** The caller follows until it calls `end`, which it does once. */
export interface Following {
  readonly end: () => void;
  /**
   * Those of the changes that the caller may know of now; `all` where any workspace may have changed. Throws
   * `resource/not-found` once the caller may not follow any more.
   */
  readonly visible: (actor: Actor, changes: Changes | undefined) => Promise<Changes | 'all'>;
}

const followerOf = async (unitOfWork: UnitOfWork<'tokens'>, actor: Actor): Promise<Follower> => ({
  caller: identityOf(actor),
  maker: await makerOf(unitOfWork, actor),
});

/** GET /workspaces/:id/changes. */
export class FollowWorkspace {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'tokens'>,
    private readonly feed: ChangeFeed,
  ) {}

  /** Throws what `ChangeFeed.follow` throws. */
  async execute(actor: Actor, id: WorkspaceId, listener: ChangeListener): Promise<Following> {
    const { organizationId } = await this.find(actor, id);
    const follower = await followerOf(this.unitOfWork, actor);
    return {
      end: this.feed.follow(follower, { organizationId, workspaceId: id }, listener),
      visible: async (now, changes) => {
        await this.find(now, id);
        return changes ?? 'all';
      },
    };
  }

  private async find(actor: Actor, id: WorkspaceId): Promise<Workspace> {
    return authorized(await this.unitOfWork.read((tx) => tx.workspaces.findFor(actor, id)), 'workspaces/read');
  }
}

/** More are reported as `all`: that is cheaper, and clients read a whole list again either way. */
const maxNamed = 50;

/** GET /organizations/:name/changes. */
export class FollowOrganization {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'tokens'>,
    private readonly feed: ChangeFeed,
  ) {}

  /** Throws what `ChangeFeed.follow` throws. */
  async execute(actor: Actor, name: string, listener: ChangeListener): Promise<Following> {
    const { id } = await this.find(actor, name);
    const follower = await followerOf(this.unitOfWork, actor);
    return {
      end: this.feed.follow(follower, { organizationId: id }, listener),
      visible: async (now, changes) => {
        const found = await this.find(now, name);
        // Another organization may have taken the name.
        if (found.id !== id) throw notFound();
        if (changes === undefined || changes.size > maxNamed) return 'all';
        const seen = await this.unitOfWork.read((tx) =>
          tx.workspaces.visibleWithStanding(id, found.standing, workspaceVisibility(found.standing), [
            ...changes.keys(),
          ]),
        );
        return new Map(seen.map(({ subject }) => [subject.id, 'records']));
      },
    };
  }

  private async find(actor: Actor, name: string) {
    const found = await this.unitOfWork.read((tx) => tx.organizations.findFor(actor, name));
    const { subject, standing } = authorizedView(found, 'organizations/read');
    return { id: subject.id, standing };
  }
}
