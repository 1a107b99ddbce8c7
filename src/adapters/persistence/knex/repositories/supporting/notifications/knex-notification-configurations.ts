import type { Knex } from 'knex';
import { sealPrefix } from '../../../../../../application/ports/outside/secret-box.js';
import type { NotificationConfigurationRepository } from '../../../../../../application/ports/repositories/notification-repository.js';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type {
  NotificationConfiguration,
  NotificationConfigurationId,
  NotificationSubject,
  ProjectId,
  RunNotificationTrigger,
  TeamId,
  WorkspaceId,
} from '../../../../../../domain/index.js';
import { inserted, prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import { columnsOf, countOf, pageOf, type Statements, throwIfStale } from '../../../engine/statements.js';

const table = 'notification_configurations';

/** The column that refers to a subject. One of them is not null. */
const columnOf = {
  workspace: 'workspace_id',
  project: 'project_id',
  team: 'team_id',
} as const satisfies Record<NotificationSubject['kind'], string>;

interface SubjectRow {
  readonly workspace_id: WorkspaceId | null;
  readonly project_id: ProjectId | null;
  readonly team_id: TeamId | null;
}

function subjectFrom({ workspace_id, project_id, team_id }: SubjectRow): NotificationSubject {
  if (workspace_id !== null) return { kind: 'workspace', id: workspace_id };
  if (project_id !== null) return { kind: 'project', id: project_id };
  if (team_id !== null) return { kind: 'team', id: team_id };
  throw new Error('a notification configuration belongs to nothing');
}

const rows = rowsOf<NotificationConfiguration>((row, as) => ({
  id: row.id,
  subject: as.read(row, Object.values(columnOf), subjectFrom),
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

const changeable = rows.except('id', 'subject', 'organizationId', 'destinationType', 'createdAt');

/** Configurations `n` of existing workspaces `w`, projects `p` and teams `t`. */
const living = (sql: Knex): Knex.QueryBuilder =>
  sql(`${table} as n`)
    .leftJoin('workspaces as w', (on) => on.on('w.id', 'n.workspace_id').onNull('w.deleted_at'))
    .leftJoin('projects as p', 'p.id', 'n.project_id')
    .leftJoin('teams as t', (on) => on.on('t.id', 'n.team_id').onNull('t.deleted_at'))
    .joinRaw('join organizations as o on o.id = coalesce(w.organization_id, p.organization_id, t.organization_id)')
    .whereNull('o.deleted_at');

const whole = (found: Knex.QueryBuilder): Knex.QueryBuilder =>
  found.select(...columnsOf('n', rows.columns), { organization_id: 'o.id' });

const byId = prepared((sql, { id }: { readonly id: NotificationConfigurationId }) =>
  whole(living(sql).where('n.id', id)),
);

interface Event extends Readonly<Record<string, string>> {
  readonly id: WorkspaceId;
  readonly trigger: string;
}

const notified = prepared((sql, { id, trigger }: Event) => {
  const told = (configurations: Knex.QueryBuilder): Knex.QueryBuilder =>
    configurations.whereRaw('n.enabled = TRUE').where('n.triggers', 'like', trigger).select('n.id', 'n.created_at');
  const ofProject = sql('workspaces as w').join(`${table} as n`, 'n.project_id', 'w.project_id').where('w.id', id);
  return told(sql(`${table} as n`).where('n.workspace_id', id))
    .unionAll(told(ofProject))
    .orderBy(['created_at', 'id']);
});

export class KnexNotificationConfigurations implements NotificationConfigurationRepository {
  constructor(private readonly db: Statements) {}

  async find(id: NotificationConfigurationId): Promise<NotificationConfiguration | undefined> {
    const row = await this.db.first<object>(byId(this.db, { id }));
    return row && rows.read(row);
  }

  page(subject: NotificationSubject, page: PageRequest): Promise<Page<NotificationConfiguration>> {
    const present = (part: Knex.QueryBuilder) => whole(part).orderBy(['n.created_at', 'n.id']);
    return pageOf(this.db, this.of(subject), present, rows.read, page);
  }

  count(subject: NotificationSubject): Promise<number> {
    return countOf(this.db, this.of(subject));
  }

  async notifiedOf(
    workspaceId: WorkspaceId,
    trigger: RunNotificationTrigger,
  ): Promise<readonly NotificationConfigurationId[]> {
    const query = notified(this.db, { id: workspaceId, trigger: `%"${trigger}"%` });
    return (await this.db.all<{ readonly id: string }>(query)).map(({ id }) => id);
  }

  async add(configuration: NotificationConfiguration): Promise<void> {
    const { kind, id } = configuration.subject;
    const none: SubjectRow = { workspace_id: null, project_id: null, team_id: null };
    const row = { ...rows.write(configuration), ...none, [columnOf[kind]]: id };
    await this.db.run(inserted(this.db, table, row));
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

  private of({ kind, id }: NotificationSubject): Knex.QueryBuilder {
    return living(this.db.sql).where(`n.${columnOf[kind]}`, id);
  }
}
