import { type Actor, DomainError, identityOf, type OrganizationId, type WorkspaceId } from '../../../domain/index.js';
import { type ChangeKind, type Changes, type HearChanges, noteChange } from '../../ports/outside/changes.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** The maximum number of followers of this process, and of one user, team or organization among them. */
export const mostFollowers = { inAll: 1_000, ofCaller: 100 } as const;

export type Followed = { readonly workspaceId: WorkspaceId } | { readonly organizationId: OrganizationId };

/** Far more than change at the same time. The workspaces of an organization never move to another. */
const mostRemembered = 10_000;

class Followers<Id> {
  private readonly byId = new Map<Id, Set<HearChanges>>();

  get any(): boolean {
    return this.byId.size > 0;
  }

  of(id: Id): Iterable<HearChanges> {
    return this.byId.get(id) ?? [];
  }

  /** Returns what removes it. */
  add(id: Id, hear: HearChanges): () => void {
    const here = this.byId.get(id) ?? new Set();
    this.byId.set(id, here.add(hear));
    return () => {
      here.delete(hear);
      if (here.size === 0 && this.byId.get(id) === here) this.byId.delete(id);
    };
  }

  tell(changes: Changes | undefined): void {
    for (const here of this.byId.values()) for (const hear of here) hear(changes);
  }
}

/** Passes the changes of every instance on to the followers at this one. Does nothing while there are none. */
export class ChangeFeed {
  private readonly ofWorkspaces = new Followers<WorkspaceId>();
  private readonly ofOrganizations = new Followers<OrganizationId>();
  private readonly organizations = new Map<WorkspaceId, OrganizationId>();
  private readonly callers = new Map<string, number>();
  private open = 0;

  constructor(private readonly unitOfWork: UnitOfWork<'audit'>) {}

  /** The number of followers. */
  get followers(): number {
    return this.open;
  }

  /**
   * Calls `hear` after each change, for an organization without those of logs. Returns what ends that, once. Throws
   * `changes/too-many-followers` and `changes/no-room`.
   */
  follow(actor: Actor, followed: Followed, hear: HearChanges): () => void {
    const { kind, id } = identityOf(actor);
    const caller = `${kind} ${id}`;
    const own = this.callers.get(caller) ?? 0;
    if (own >= mostFollowers.ofCaller) {
      throw new DomainError(
        'changes/too-many-followers',
        `at most ${mostFollowers.ofCaller} streams of changes may be open at the same time; close one of them`,
      );
    }
    if (this.open >= mostFollowers.inAll) {
      throw new DomainError('changes/no-room', 'too many streams of changes are open; try again later');
    }
    this.callers.set(caller, own + 1);
    this.open += 1;
    const remove =
      'workspaceId' in followed
        ? this.ofWorkspaces.add(followed.workspaceId, hear)
        : this.ofOrganizations.add(followed.organizationId, hear);
    return () => {
      remove();
      this.open -= 1;
      const left = (this.callers.get(caller) ?? 1) - 1;
      if (left === 0) this.callers.delete(caller);
      else this.callers.set(caller, left);
    };
  }

  /** Never throws: it is called by transactions that are committed. */
  readonly announce: HearChanges = (changes) => {
    if (changes === undefined) {
      this.ofWorkspaces.tell(undefined);
      this.ofOrganizations.tell(undefined);
      return;
    }
    if (this.ofWorkspaces.any) {
      for (const [id, kind] of changes) for (const hear of this.ofWorkspaces.of(id)) hear(new Map([[id, kind]]));
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
      for (const hear of this.ofOrganizations.of(organizationId)) hear(here);
  }

  private async organizationOf(id: WorkspaceId): Promise<OrganizationId | undefined> {
    const known = this.organizations.get(id);
    if (known !== undefined) return known;
    const found = await this.unitOfWork.read((tx) => tx.audit.organizationOf({ kind: 'workspaces', id }));
    if (this.organizations.size >= mostRemembered) this.organizations.clear();
    if (found !== undefined) this.organizations.set(id, found);
    return found;
  }
}
