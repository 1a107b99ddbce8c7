import type { Knex } from 'knex';
import { caseless, type ProjectFilter } from '../../../../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type { ProjectRepository } from '../../../../../../application/ports/repositories/project-repository.js';
import {
  type Actor,
  alreadyTaken,
  type Instant,
  type OrganizationId,
  type Project,
  type ProjectId,
  type ProjectVisibility,
  type Standing,
  type WithStanding,
} from '../../../../../../domain/index.js';
import { ofOrganization, ofPage, sorted, withPart } from '../../../engine/lists.js';
import { inserted, prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import {
  columnsOf,
  pageOf,
  type Statements,
  spelledOut,
  throwIfStale,
  throwIfTaken,
} from '../../../engine/statements.js';
import { isInForce } from '../../authorization/grant-rows.js';
import { seeing, standingOnEachProject } from '../../authorization/standing.js';
import { ofVariableSets } from '../variables/knex-variable-sets.js';
import { matching } from '../workspaces/workspace-conditions.js';

const projectRows = rowsOf<Project>((row, as) => ({
  id: row.id,
  organizationId: row.organization_id,
  organizationName: as.joined(row.organization_name),
  name: row.name,
  description: row.description,
  executionMode: row.default_execution_mode,
  agentPoolId: row.default_agent_pool_id,
  executionDefaults: {
    executionMode: as.joined(row.organization_execution_mode),
    agentPoolId: as.joined(row.organization_agent_pool_id),
  },
  autoDestroy: as.group(row.auto_destroy_by_kind, {
    activityDuration: row.auto_destroy_activity_duration,
    since: row.auto_destroy_since,
    nextCheckAt: row.auto_destroy_next_check_at,
    by: { kind: row.auto_destroy_by_kind, id: row.auto_destroy_by_id },
  }),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  revision: row.revision,
}));

const changeable = projectRows.except('id', 'organizationId', 'createdAt');

/** Projects `p` of living organizations `o`. */
const activeProjects = (sql: Knex): Knex.QueryBuilder =>
  sql('projects as p').join('organizations as o', 'o.id', 'p.organization_id').whereNull('o.deleted_at');

const select = (projects: Knex.QueryBuilder): Knex.QueryBuilder =>
  projects.select(...columnsOf('p', projectRows.columns), {
    organization_name: 'o.name',
    organization_execution_mode: 'o.default_execution_mode',
    organization_agent_pool_id: 'o.default_agent_pool_id',
  });

const nameTaken = { name: () => alreadyTaken('name', 'Name') };

const findWithStanding = seeing(
  'project',
  (sql, { id }: { readonly id: ProjectId }) => select(activeProjects(sql).where('p.id', id)),
  projectRows.read,
);

const withDestructionDue = prepared((sql, { now, limit }: { readonly now: Instant; readonly limit: number }) =>
  select(activeProjects(sql))
    .where('p.auto_destroy_next_check_at', '<=', now)
    .orderBy(['p.auto_destroy_next_check_at', 'p.id'])
    .limit(limit, spelledOut),
);

export class KnexProjects implements ProjectRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, id: ProjectId): Promise<WithStanding<Project> | undefined> {
    return findWithStanding(this.db, actor, { id });
  }

  async among(ids: readonly ProjectId[]): Promise<readonly Project[]> {
    if (ids.length === 0) return [];
    return (await this.db.all<object>(select(activeProjects(this.db.sql).whereIn('p.id', ids)))).map(projectRows.read);
  }

  async add(project: Project): Promise<void> {
    await throwIfTaken(this.db.run(inserted(this.db, 'projects', projectRows.write(project))), nameTaken);
  }

  async save(project: Project): Promise<void> {
    const { id, revision } = project;
    const row = this.db.sql('projects').where({ id, revision: revision - 1 });
    const update = this.db.run(row.update(changeable.write(project)));
    await throwIfTaken(throwIfStale({ table: 'projects', id }, update), nameTaken);
  }

  async remove(id: ProjectId): Promise<void> {
    const { sql } = this.db;
    const sets = sql('variable_sets').where('project_id', id).select('id');
    for (const table of ofVariableSets) await this.db.run(sql(table).whereIn('variable_set_id', sets).delete());
    await this.db.run(sql('variable_set_projects').where('project_id', id).delete());
    await this.db.run(sql('variable_sets').where('project_id', id).delete());
    await this.db.run(sql('team_projects').where('project_id', id).delete());
    // If two remove it at once, the second decides again and finds nothing.
    await throwIfStale({ table: 'projects', id }, this.db.run(sql('projects').where({ id }).delete()));
  }

  async withDestructionDue(now: Instant, limit: number): Promise<readonly Project[]> {
    return (await this.db.all<object>(withDestructionDue(this.db, { now, limit }))).map(projectRows.read);
  }

  async postponeDestructionCheck({ id, autoDestroy }: Project, at: Instant): Promise<void> {
    const unchanged = { id, auto_destroy_next_check_at: autoDestroy?.nextCheckAt ?? null };
    await this.db.run(this.db.sql('projects').where(unchanged).update({ auto_destroy_next_check_at: at }));
  }

  async hasWorkspaces(id: ProjectId): Promise<boolean> {
    const living = this.db.sql('workspaces').where({ project_id: id, deleted_at: null }).select('id').limit(1);
    return (await this.db.first(living)) !== undefined;
  }

  async page(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: ProjectVisibility,
    page: PageRequest,
    { search, names, bindings = [], sort }: ProjectFilter = {},
  ): Promise<Page<WithStanding<Project>>> {
    const { sql } = this.db;
    const listed = withPart(ofOrganization(sql, 'projects', organizationId), 'l.name', search);
    if (names !== undefined) {
      // Knex takes expressions here, which its types do not say.
      listed.whereIn(sql.raw('lower(l.name)') as unknown as string, names.map(caseless));
    }
    for (const binding of bindings) {
      const bound = sql('project_tag_bindings as b').where('b.organization_id', organizationId);
      listed.whereIn('l.id', matching(bound, binding).select('b.project_id'));
    }
    if (visibility !== 'all') {
      const teamIds = visibility.throughTeams;
      const soFar = this.db.present.soFar();
      const granted = sql('team_projects as g')
        .whereIn('g.team_id', teamIds)
        .whereRaw(isInForce(sql, 'g', soFar))
        .select('g.project_id');
      const within = sql('team_workspaces as g')
        .join('workspaces as w', 'w.id', 'g.workspace_id')
        .whereIn('g.team_id', teamIds)
        .whereRaw(isInForce(sql, 'g', soFar))
        .whereNull('w.deleted_at');
      listed.whereIn('l.id', granted.union(within.select('w.project_id')));
    }
    const inOrder = (projects: Knex.QueryBuilder, alias: string) =>
      sorted(projects, alias, `lower(${alias}.name)`, sort?.descending);
    const present = (part: Knex.QueryBuilder) =>
      inOrder(select(ofPage(activeProjects(sql), inOrder(part.select('l.id'), 'l'), 'p')), 'p');
    const found = await pageOf(this.db, listed, present, projectRows.read, page);
    const standingOn = await standingOnEachProject(
      this.db,
      standing,
      found.items.map(({ id }) => id),
    );
    return { ...found, items: found.items.map((subject) => ({ subject, standing: standingOn(subject.id) })) };
  }
}
