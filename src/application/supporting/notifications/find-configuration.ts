import {
  type Actor,
  type NotificationConfiguration,
  type NotificationConfigurationId,
  type NotificationSubject,
  notFound,
  notificationActionOf,
  type OrganizationId,
  type WithStanding,
} from '../../../domain/index.js';
import { type Change, changing } from '../../../domain/supporting/audit/change.js';
import type { AuditPlace } from '../../ports/repositories/audit-trail.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** The repositories of what configurations belong to. */
export type SubjectRepositories = 'workspaces' | 'projects' | 'teams';

interface Place {
  readonly organizationId: OrganizationId;
}

/** The subject of configurations, with the caller's standing on it. */
export function findSubject(
  tx: Transaction<SubjectRepositories>,
  actor: Actor,
  subject: NotificationSubject,
): Promise<WithStanding<Place> | undefined> {
  switch (subject.kind) {
    case 'workspace':
      return tx.workspaces.findFor(actor, subject.id);
    case 'project':
      return tx.projects.findFor(actor, subject.id);
    case 'team':
      return tx.teams.findFor(actor, subject.id);
  }
}

/** The subject, if the caller may manage its configurations. Throws `resource/not-found` otherwise. */
export const changeableSubject = async (
  tx: Transaction<SubjectRepositories>,
  actor: Actor,
  subject: NotificationSubject,
): Promise<Change<Place>> => changing(actor, await findSubject(tx, actor, subject), notificationActionOf[subject.kind]);

/** The configuration, if the caller may manage it. Throws `resource/not-found` otherwise. */
export async function changeableConfiguration(
  tx: Transaction<'notificationConfigurations' | SubjectRepositories>,
  actor: Actor,
  id: NotificationConfigurationId,
): Promise<Change<NotificationConfiguration>> {
  const configuration = await tx.notificationConfigurations.find(id);
  if (configuration === undefined) throw notFound();
  const { subject } = configuration;
  const seen = await findSubject(tx, actor, subject);
  return changing(actor, seen && { ...seen, subject: configuration }, notificationActionOf[subject.kind]);
}

/** Blocks others that change the number of the subject's configurations, until the transaction ends. */
export async function lockSubject(
  tx: Transaction<'workspaces' | 'rowLocks'>,
  subject: NotificationSubject,
): Promise<void> {
  if (subject.kind === 'workspace') await tx.workspaces.lockRow(subject.id);
  else if (!(await tx.rowLocks.take(subject))) throw notFound();
}

/** The trail that changes of a configuration are recorded in. */
export const placeOf = ({
  subject,
  organizationId,
}: Pick<NotificationConfiguration, 'subject' | 'organizationId'>): AuditPlace =>
  subject.kind === 'workspace' ? { organizationId, workspaceId: subject.id } : { organizationId };
