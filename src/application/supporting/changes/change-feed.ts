import { DomainError, type OrganizationId, type TokenOwner, type WorkspaceId } from '../../../domain/index.js';
import { type ChangeKind, type ChangeListener, type Changes, noteChange } from '../../ports/outside/changes.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/**
 * The maximum number of followers of this process, and of one user, team or organization among them. Once `half` of all
 * follow, also of what belongs to one organization, and with all tokens that one person made.
 */
export const maxFollowers = { inAll: 1_000, half: 500, ofCaller: 100, ofOrganization: 250, ofMaker: 100 } as const;

/** A workspace, or without one the whole organization. */
export interface Followed {
  readonly organizationId: OrganizationId;
  readonly workspaceId?: WorkspaceId;
}

/** Who follows, and whose person made the token. */
export interface Follower {
  readonly caller: TokenOwner;
  readonly maker: TokenOwner;
}

/** Far more than change at the same time. The workspaces of an organization never move to another. */
const maxRemembered = 10_000;

class Followers<Id> {
  private readonly byId = new Map<Id, Set<ChangeListener>>();

  get any(): boolean {
    return this.byId.size > 0;
  }

  of(id: Id): Iterable<ChangeListener> {
    return this.byId.get(id) ?? [];
  }

  /** Returns what removes it. */
  add(id: Id, listener: ChangeListener): () => void {
    const here = this.byId.get(id) ?? new Set();
    this.byId.set(id, here.add(listener));
    return () => {
      here.delete(listener);
      if (here.size === 0 && this.byId.get(id) === here) this.byId.delete(id);
    };
  }

  tell(changes: Changes | undefined): void {
    for (const here of this.byId.values()) for (const listener of here) listener(changes);
  }
}

/** How many follow at the moment, by whom each of them counts for. */
class Shares {
  private readonly taken = new Map<string, number>();

  of(share: string): number {
    return this.taken.get(share) ?? 0;
  }

  /** Returns what gives them back. */
  take(shares: readonly string[]): () => void {
    for (const share of shares) this.taken.set(share, this.of(share) + 1);
    return () => {
      for (const share of shares) {
        const left = this.of(share) - 1;
        if (left === 0) this.taken.delete(share);
        else this.taken.set(share, left);
      }
    };
  }
}

const shareOf = (what: 'caller' | 'maker' | 'followed', { kind, id }: { kind: string; id: string }): string =>
  `${what} ${kind} ${id}`;

const tooMany = (sentence: string): DomainError => new DomainError('changes/too-many-followers', sentence);

/** Passes the changes of every instance on to the followers at this one. Does nothing while there are none. */
export class ChangeFeed {
  private readonly ofWorkspaces = new Followers<WorkspaceId>();
  private readonly ofOrganizations = new Followers<OrganizationId>();
  private readonly organizations = new Map<WorkspaceId, OrganizationId>();
  private readonly shares = new Shares();
  private open = 0;

  constructor(private readonly unitOfWork: UnitOfWork<'audit'>) {}

  /** The number of followers. */
  get followers(): number {
    return this.open;
  }

  /**
   * Calls `listener` after each change, for an organization without those of logs. Returns what ends that, once. Throws
   * `changes/too-many-followers` and `changes/no-room`.
   */
  follow({ caller, maker }: Follower, { organizationId, workspaceId }: Followed, listener: ChangeListener): () => void {
    const ofCaller = shareOf('caller', caller);
    const ofMaker = shareOf('maker', maker);
    const ofOrganization = shareOf('followed', { kind: 'organization', id: organizationId });
    if (this.shares.of(ofCaller) >= maxFollowers.ofCaller) {
      throw tooMany(
        `at most ${maxFollowers.ofCaller} streams of changes may be open at the same time; close one of them`,
      );
    }
    if (this.open >= maxFollowers.half) this.checkShares(ofMaker, ofOrganization);
    if (this.open >= maxFollowers.inAll) {
      throw new DomainError('changes/no-room', 'too many streams of changes are open; try again later');
    }
    const giveBack = this.shares.take([ofCaller, ofMaker, ofOrganization]);
    this.open += 1;
    const remove =
      workspaceId === undefined
        ? this.ofOrganizations.add(organizationId, listener)
        : this.ofWorkspaces.add(workspaceId, listener);
    return () => {
      remove();
      this.open -= 1;
      giveBack();
    };
  }

  private checkShares(ofMaker: string, ofOrganization: string): void {
    const busy = `while ${maxFollowers.half} or more streams of changes are open here`;
    if (this.shares.of(ofMaker) >= maxFollowers.ofMaker) {
      throw tooMany(
        `${busy}, at most ${maxFollowers.ofMaker} of them may use tokens that the same person issued; close one of them`,
      );
    }
    if (this.shares.of(ofOrganization) >= maxFollowers.ofOrganization) {
      throw tooMany(
        `${busy}, at most ${maxFollowers.ofOrganization} of them may be those of one organization; close one of them, or try again later`,
      );
    }
  }

  /** Never throws: it is called by transactions that are committed. */
  readonly announce: ChangeListener = (changes) => {
    if (changes === undefined) {
      this.ofWorkspaces.tell(undefined);
      this.ofOrganizations.tell(undefined);
      return;
    }
    if (this.ofWorkspaces.any) {
      for (const [id, kind] of changes)
        for (const listener of this.ofWorkspaces.of(id)) listener(new Map([[id, kind]]));
    }
    if (!this.ofOrganizations.any) return;
    const records = [...changes].filter(([, kind]) => kind === 'records').map(([id]) => id);
    // Which organization a workspace belongs to is not known where it is changed.
    if (records.length > 0) this.tellOrganizations(records).catch(() => this.ofOrganizations.tell(undefined));
  };

  private async tellOrganizations(ids: readonly WorkspaceId[]): Promise<void> {
    const changed = new Map<OrganizationId, Map<WorkspaceId, ChangeKind>>();
    for (const id of ids) {
      const organizationId = await this.organizationOf(id);
      if (organizationId === undefined) continue;
      const here = changed.get(organizationId) ?? new Map();
      noteChange(here, id, 'records');
      changed.set(organizationId, here);
    }
    for (const [organizationId, here] of changed)
      for (const listener of this.ofOrganizations.of(organizationId)) listener(here);
  }

  private async organizationOf(id: WorkspaceId): Promise<OrganizationId | undefined> {
    const known = this.organizations.get(id);
    if (known !== undefined) return known;
    const found = await this.unitOfWork.read((tx) => tx.audit.organizationOf({ kind: 'workspaces', id }));
    if (this.organizations.size >= maxRemembered) this.organizations.clear();
    if (found !== undefined) this.organizations.set(id, found);
    return found;
  }
}
