import type { Knex } from 'knex';
import { sealPrefix } from '../../../../../../application/ports/outside/secret-box.js';
import type { NotificationConfigurationRepository } from '../../../../../../application/ports/repositories/notification-repository.js';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type {
  Actor,
  NotificationConfiguration,
  NotificationConfigurationId,
  NotificationTrigger,
  WithStanding,
  WorkspaceId,
} from '../../../../../../domain/index.js';
import { inserted, prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import { columnsOf, countOf, pageOf, type Statements, throwIfStale } from '../../../engine/statements.js';
import { seeing } from '../../authorization/standing.js';
import { activeWorkspaces } from '../workspaces/knex-workspaces.js';

const table = 'notification_configurations';

const rows = rowsOf<NotificationConfiguration>((row, as) => ({
  id: row.id,
  workspaceId: row.workspace_id,
  organizationId: as.joined(row.organization_id),
  name: row.name,
  enabled: as.flag(row.enabled),
  destinationType: row.destination_type,
  url: row.url,
  sealedToken: row.token,
  triggers: as.json(row.triggers),
  emailAddresses: as.json(row.email_addresses),
  userIds: as.json(row.user_ids),
  deliveries: as.json(row.deliveries),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  revision: row.revision,
}));

const changeable = rows.except('id', 'workspaceId', 'organizationId', 'destinationType', 'createdAt');

/** Configurations `n` of living workspaces `w`. */
const living = (sql: Knex): Knex.QueryBuilder =>
  activeWorkspaces(sql(`${table} as n`).join('workspaces as w', 'w.id', 'n.workspace_id'));

const whole = (found: Knex.QueryBuilder): Knex.QueryBuilder =>
  found.select(...columnsOf('n', rows.columns), 'w.organization_id');

const findOne = seeing(
  'workspace',
  (sql, { id }: { readonly id: NotificationConfigurationId }) => whole(living(sql).where('n.id', id)),
  rows.read,
);

const notified = prepared((sql, { id, trigger }: { readonly id: WorkspaceId; readonly trigger: string }) =>
  sql(`${table} as n`)
    .where('n.workspace_id', id)
    .whereRaw('n.enabled = TRUE')
    .where('n.triggers', 'like', trigger)
    .select('n.id')
    .orderBy(['n.created_at', 'n.id']),
);

export class KnexNotificationConfigurations implements NotificationConfigurationRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, id: NotificationConfigurationId): Promise<WithStanding<NotificationConfiguration> | undefined> {
    return findOne(this.db, actor, { id });
  }

  async find(id: NotificationConfigurationId): Promise<NotificationConfiguration | undefined> {
    const row = await this.db.first<object>(whole(living(this.db.sql).where('n.id', id)));
    return row && rows.read(row);
  }

  page(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<NotificationConfiguration>> {
    const present = (part: Knex.QueryBuilder) => whole(part).orderBy(['n.created_at', 'n.id']);
    return pageOf(this.db, this.of(workspaceId), present, rows.read, page);
  }

  count(workspaceId: WorkspaceId): Promise<number> {
    return countOf(this.db, this.of(workspaceId));
  }

  async notifiedOf(
    workspaceId: WorkspaceId,
    trigger: NotificationTrigger,
  ): Promise<readonly NotificationConfigurationId[]> {
    const query = notified(this.db, { id: workspaceId, trigger: `%"${trigger}"%` });
    return (await this.db.all<{ readonly id: string }>(query)).map(({ id }) => id);
  }

  async add(configuration: NotificationConfiguration): Promise<void> {
    await this.db.run(inserted(this.db, table, rows.write(configuration)));
  }

  async save(configuration: NotificationConfiguration): Promise<void> {
    const { id, revision } = configuration;
    const row = this.db.sql(table).where({ id, revision: revision - 1 });
    await throwIfStale({ table, id }, this.db.run(row.update(changeable.write(configuration))));
  }

  async remove(id: NotificationConfigurationId): Promise<void> {
    await throwIfStale({ table, id }, this.db.run(this.db.sql(table).where({ id }).delete()));
  }

  async sealedWithOtherKeys(
    fingerprint: string,
    after: NotificationConfigurationId,
    limit: number,
  ): Promise<readonly NotificationConfiguration[]> {
    const otherwise = living(this.db.sql)
      .where('n.id', '>', after)
      .whereNot('n.token', 'like', `${sealPrefix(fingerprint)}%`);
    return (await this.db.all<object>(whole(otherwise).orderBy('n.id').limit(limit))).map(rows.read);
  }

  private of(id: WorkspaceId): Knex.QueryBuilder {
    return living(this.db.sql).where('n.workspace_id', id);
  }
}
