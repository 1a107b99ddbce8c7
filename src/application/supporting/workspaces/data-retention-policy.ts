import {
  type Action,
  type Actor,
  authorized,
  type DataRetention,
  DomainError,
  type WithStanding,
  type WorkspaceId,
} from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { type Change, changing } from '../../../domain/supporting/audit/change.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import { type AuditPlace, inWorkspace } from '../../ports/repositories/audit-trail.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** A policy belongs to a workspace, or to an organization for its workspaces without one. */
export type RetentionOwner =
  | { readonly kind: 'workspace'; readonly id: WorkspaceId }
  | { readonly kind: 'organization'; readonly name: string };

/** The actions on the policy of each kind of owner. */
export const retentionActions = {
  workspace: { show: 'workspaces/read', set: 'workspaces/set-retention' },
  organization: { show: 'organizations/read', set: 'organizations/set-retention' },
} as const satisfies Record<RetentionOwner['kind'], Record<'show' | 'set', Action>>;

interface Owned {
  readonly id: string;
  readonly retention: DataRetention | null;
  readonly place: AuditPlace;
  readonly save: (retention: DataRetention | null, now: string) => Promise<void>;
}

const none = ({ kind }: RetentionOwner) =>
  new DomainError('resource/not-found', `the ${kind} has no data retention policy`);

type Owners = Transaction<'workspaces' | 'organizations'>;

async function find(tx: Owners, actor: Actor, owner: RetentionOwner): Promise<WithStanding<Owned> | undefined> {
  if (owner.kind === 'organization') {
    const seen = await tx.organizations.findFor(actor, owner.name);
    return (
      seen && {
        ...seen,
        subject: {
          ...seen.subject,
          place: { organizationId: seen.subject.id },
          save: (retention) => tx.organizations.setRetention(seen.subject.id, retention),
        },
      }
    );
  }
  const seen = await tx.workspaces.findFor(actor, owner.id);
  return (
    seen && {
      ...seen,
      subject: {
        ...seen.subject,
        place: inWorkspace(seen.subject),
        save: (retention, updatedAt) => tx.workspaces.save(revised(seen.subject, { retention, updatedAt })),
      },
    }
  );
}

const change = async (tx: Owners, actor: Actor, owner: RetentionOwner): Promise<Change<Owned>> =>
  changing(actor, await find(tx, actor, owner), retentionActions[owner.kind].set);

/** GET /workspaces/:id/relationships/data-retention-policy, and the same of an organization. */
export class ShowDataRetention {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'organizations'>) {}

  async execute(actor: Actor, owner: RetentionOwner): Promise<DataRetention> {
    const seen = await this.unitOfWork.read((tx) => find(tx, actor, owner));
    const { retention } = authorized(seen, retentionActions[owner.kind].show);
    if (retention === null) throw none(owner);
    return retention;
  }
}

/** POST of the same: replaces the policy, if there is one. */
export class SetDataRetention {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'organizations' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute(actor: Actor, owner: RetentionOwner, days: DataRetention['days']): Promise<DataRetention> {
    return this.unitOfWork.run(async (tx) => {
      const { subject, done } = await change(tx, actor, owner);
      const retention = { id: this.ids.next('data-retention-policy'), days };
      await subject.save(retention, this.clock.now());
      await tx.audit.add(done(subject.id), subject.place);
      return retention;
    });
  }
}

/** DELETE of the same. Files that it removed stay removed. */
export class RemoveDataRetention {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'organizations' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, owner: RetentionOwner): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject, done } = await change(tx, actor, owner);
      if (subject.retention === null) throw none(owner);
      await subject.save(null, this.clock.now());
      await tx.audit.add(done(subject.id), subject.place);
    });
  }
}
