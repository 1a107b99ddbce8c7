import type { Actor, NotificationConfiguration, NotificationConfigurationId } from '../../../domain/index.js';
import { type Change, changing } from '../../../domain/supporting/audit/change.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** The configuration, if the caller may manage it. Throws `resource/not-found` otherwise. */
export const changeableConfiguration = async (
  tx: Transaction<'notificationConfigurations'>,
  actor: Actor,
  id: NotificationConfigurationId,
): Promise<Change<NotificationConfiguration>> =>
  changing(actor, await tx.notificationConfigurations.findFor(actor, id), 'notification-configurations/manage');
