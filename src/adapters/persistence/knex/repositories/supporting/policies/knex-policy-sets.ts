import type { Knex } from 'knex';
import { sealPrefix } from '../../../../../../application/ports/outside/secret-box.js';
import type { PolicySetFilter } from '../../../../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type { PolicySetRepository } from '../../../../../../application/ports/repositories/policy-repository.js';
import {
  type Actor,
  type ApplyingPolicySet,
  alreadyTaken,
  type OrganizationId,
  type PolicySet,
  type PolicySetId,
  type TagSelector,
  type WebhookId,
  type WithStanding,
  type WorkspaceId,
} from '../../../../../../domain/index.js';
import { inOrder } from '../../../../../../domain/supporting/policies/policy-set.js';
import { idsByName, idsIn, ofOrganization, ofPage, withPart } from '../../../engine/lists.js';
import { inserted, prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import { columnsOf, pageOf, type Statements, throwIfStale, throwIfTaken } from '../../../engine/statements.js';
import { seeing } from '../../authorization/standing.js';
import { activeWorkspaces } from '../workspaces/knex-workspaces.js';
import { activePolicies, policiesByName, policyRows, selectPolicies } from './knex-policies.js';

const applyingRows = rowsOf<Omit<ApplyingPolicySet, 'attached'>>((row, as) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  kind: row.kind,
  overridable: as.flag(row.overridable),
  policies: as.json(row.policies),
  policyToolVersion: row.policy_tool_version,
  versions: as.json(row.versions),
}));

/** Each as its sign, key and value. Keys and values have neither spaces nor slashes. */
const selectorsIn = (text: string | null): readonly TagSelector[] =>
  inOrder(
    idsIn(text).map((one) => {
      const [key = '', value = ''] = one.slice(1).split('/');
      return { key, value, excludes: one.startsWith('-') };
    }),
  );

const setRows = rowsOf<PolicySet>((row, as) => ({
  ...applyingRows.literal(row, as),
  organizationId: row.organization_id,
  organizationName: as.joined(row.organization_name),
  global: as.flag(row.global),
  agentEnabled: as.flag(row.agent_enabled),
  updatePatterns: as.json(row.update_patterns),
  policiesPath: row.policies_path,
  repository: as.group(row.webhook_id, {
    cloneUrl: row.clone_url,
    branch: row.branch,
    credential: row.credential,
    webhookId: row.webhook_id,
    sealedWebhookKey: row.webhook_key,
    linkedBy: { kind: row.linked_by_kind, id: row.linked_by_id },
  }),
  workspaceIds: as.joined(row.workspace_ids, idsIn),
  excludedWorkspaceIds: as.joined(row.excluded_workspace_ids, idsIn),
  projectIds: as.joined(row.project_ids, idsIn),
  excludedProjectIds: as.joined(row.excluded_project_ids, idsIn),
  tagSelectors: as.joined(row.tag_selectors, selectorsIn),
  policyIds: as.joined(row.policy_ids, idsIn),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  revision: row.revision,
}));

const settings = setRows.except('id', 'organizationId', 'createdAt');

const workspaceIdsIn = (table: string) => `(select string_agg(lw.id, ' ') from ${table} as l
  join workspaces as lw on lw.id = l.workspace_id where l.policy_set_id = p.id and lw.deleted_at is null)`;

const projectIdsIn = (table: string) =>
  `(select string_agg(l.project_id, ' ') from ${table} as l where l.policy_set_id = p.id)`;

const policyIds = `(select string_agg(lp.policy_id, ' ') from policy_set_policies as lp where lp.policy_set_id = p.id)`;

const tagSelectors = `(select string_agg(case when s.excludes = TRUE then '-' else '+' end || s.key || '/' || s.value, ' ')
  from policy_set_tag_selectors as s where s.policy_set_id = p.id)`;

const nameTaken = { name: () => alreadyTaken('name', 'Name') };

/** Policy sets `p` of living organizations `o`. */
const living = (sql: Knex): Knex.QueryBuilder =>
  sql('policy_sets as p').join('organizations as o', 'o.id', 'p.organization_id').whereNull('o.deleted_at');

const select = (sql: Knex, policySets: Knex.QueryBuilder): Knex.QueryBuilder =>
  policySets.select(...columnsOf('p', setRows.columns), {
    organization_name: 'o.name',
    workspace_ids: sql.raw(workspaceIdsIn('policy_set_workspaces')),
    excluded_workspace_ids: sql.raw(workspaceIdsIn('policy_set_exclusions')),
    project_ids: sql.raw(projectIdsIn('policy_set_projects')),
    excluded_project_ids: sql.raw(projectIdsIn('policy_set_project_exclusions')),
    tag_selectors: sql.raw(tagSelectors),
    policy_ids: sql.raw(policyIds),
  });

/** The rows linked to a set by its id: their table, and the column with the id of the other. */
const links = {
  workspaceIds: { table: 'policy_set_workspaces', column: 'workspace_id', other: 'workspaces' },
  excludedWorkspaceIds: { table: 'policy_set_exclusions', column: 'workspace_id', other: 'workspaces' },
  projectIds: { table: 'policy_set_projects', column: 'project_id', other: 'projects' },
  excludedProjectIds: { table: 'policy_set_project_exclusions', column: 'project_id', other: 'projects' },
  policyIds: { table: 'policy_set_policies', column: 'policy_id', other: 'policies' },
} as const;

const selectors = 'policy_set_tag_selectors';

const linked = Object.keys(links) as readonly (keyof typeof links)[];

const findWithStanding = seeing(
  'organization',
  (sql, { id }: { readonly id: PolicySetId }) => select(sql, living(sql).where('p.id', id)),
  setRows.read,
);

export class KnexPolicySets implements PolicySetRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, id: PolicySetId): Promise<WithStanding<PolicySet> | undefined> {
    return findWithStanding(this.db, actor, { id });
  }

  find(id: PolicySetId): Promise<PolicySet | undefined> {
    return this.first(living(this.db.sql).where('p.id', id));
  }

  findByWebhook(id: WebhookId): Promise<PolicySet | undefined> {
    return this.first(living(this.db.sql).where('p.webhook_id', id));
  }

  async sealedWithOtherKeys(fingerprint: string, after: PolicySetId, limit: number): Promise<readonly PolicySet[]> {
    const { sql } = this.db;
    const otherwise = living(sql)
      .where('p.id', '>', after)
      .whereNotNull('p.webhook_id')
      .whereNot('p.webhook_key', 'like', `${sealPrefix(fingerprint)}%`);
    return (await this.db.all<object>(select(sql, otherwise).orderBy('p.id').limit(limit))).map(setRows.read);
  }

  async add(policySet: PolicySet): Promise<void> {
    await throwIfTaken(this.db.run(inserted(this.db, 'policy_sets', setRows.write(policySet))), nameTaken);
    for (const list of linked) await this.attach(policySet.id, list, policySet[list]);
    await this.addSelectors(policySet);
  }

  async save(policySet: PolicySet): Promise<void> {
    const { sql } = this.db;
    const { id, revision } = policySet;
    const update = sql('policy_sets')
      .where({ id, revision: revision - 1 })
      .update(settings.write(policySet));
    await throwIfTaken(throwIfStale({ table: 'policy_sets', id }, this.db.run(update)), nameTaken);
    for (const list of linked) await this.keepOnly(id, list, policySet[list]);
    await this.db.run(sql(selectors).where('policy_set_id', id).delete());
    await this.addSelectors(policySet);
  }

  async remove(id: PolicySetId): Promise<void> {
    const { sql } = this.db;
    for (const table of [...Object.values(links).map((link) => link.table), selectors, 'policy_set_parameters']) {
      await this.db.run(sql(table).where('policy_set_id', id).delete());
    }
    // If two remove it at once, the second decides again and finds nothing.
    await throwIfStale({ table: 'policy_sets', id }, this.db.run(sql('policy_sets').where({ id }).delete()));
  }

  page(
    organizationId: OrganizationId,
    page: PageRequest,
    { search, kind, versioned }: PolicySetFilter = {},
  ): Promise<Page<PolicySet>> {
    const { sql } = this.db;
    const listed = withPart(ofOrganization(sql, 'policy_sets', organizationId), 'l.name', search);
    if (kind !== undefined) listed.where('l.kind', kind);
    if (versioned !== undefined) listed.whereRaw(`(l.versions is not null) = ${versioned ? 'TRUE' : 'FALSE'}`);
    const present = (part: Knex.QueryBuilder) => byName(select(sql, ofPage(living(sql), idsByName(part), 'p')));
    return pageOf(this.db, listed, present, setRows.read, page);
  }

  async applyingTo(workspaceId: WorkspaceId): Promise<readonly ApplyingPolicySet[]> {
    const { sql } = this.db;
    const found = await this.db.all<{ readonly has_attached: unknown }>(setsApplyingTo(this.db, { workspaceId }));
    const sets = found.map(applyingRows.read);
    if (!found.some((row) => row.has_attached)) return sets.map((set) => ({ ...set, attached: [] }));
    const attached = activePolicies(sql)
      .join('policy_set_policies as a', 'a.policy_id', 'y.id')
      .whereIn('a.policy_set_id', idsApplyingTo(sql, workspaceId))
      .select('a.policy_set_id');
    const rows = await this.db.all<{ readonly policy_set_id: PolicySetId }>(
      policiesByName(selectPolicies(sql, attached)),
    );
    const bySet = Map.groupBy(rows, (row) => row.policy_set_id);
    return sets.map((set) => ({ ...set, attached: (bySet.get(set.id) ?? []).map(policyRows.read) }));
  }

  async appliedAmong(id: PolicySetId, workspaceIds: readonly WorkspaceId[]): Promise<readonly WorkspaceId[]> {
    if (workspaceIds.length === 0) return [];
    const { sql } = this.db;
    const these = () => activeWorkspaces(sql('workspaces as w')).whereIn('w.id', workspaceIds);
    const found = applying(sql, these, (sets, setId) => sets.where(setId, id).select('w.id'));
    return (await this.db.all<{ readonly id: WorkspaceId }>(found)).map((row) => row.id);
  }

  private async first(policySets: Knex.QueryBuilder): Promise<PolicySet | undefined> {
    const row = await this.db.first<object>(select(this.db.sql, policySets));
    return row && setRows.read(row);
  }

  private async addSelectors({ id, organizationId, tagSelectors }: PolicySet): Promise<void> {
    if (tagSelectors.length === 0) return;
    const rows = tagSelectors.map((selector) => ({ policy_set_id: id, organization_id: organizationId, ...selector }));
    await this.db.run(this.db.sql(selectors).insert(rows));
  }

  private async keepOnly(id: PolicySetId, list: keyof typeof links, ids: readonly string[]): Promise<void> {
    const { table, column } = links[list];
    await this.db.run(this.db.sql(table).where('policy_set_id', id).whereNotIn(column, ids).delete());
    await this.attach(id, list, ids);
  }

  private async attach(id: PolicySetId, list: keyof typeof links, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { sql } = this.db;
    const { table, column, other } = links[list];
    // Selected, because SQLite takes no more than 500 listed rows; it needs the `where` to tell `on conflict` from a join.
    const rows = sql(other).whereIn('id', ids).select(sql.raw('?', id), 'id');
    const insert = `insert into ${table} (policy_set_id, ${column})`;
    await this.db.run(sql.raw(`${insert} select * from ? as attached where true on conflict do nothing`, [rows]));
  }
}

/** The value that a workspace `w` has of the key of a selector `x`, as effective bindings say; null for none. */
const effectiveValue = `coalesce(
  (select b.value from workspace_tag_bindings as b where b.workspace_id = w.id and b.key = x.key),
  (select b.value from project_tag_bindings as b where b.project_id = w.project_id and b.key = x.key))`;

/**
 * The pairs of a workspace `w` and a set that applies to it, as `chosen` selects them. Each by an index of its own: with an
 * `or` between them, every policy set of the organization would be looked at.
 */
const applying = (
  sql: Knex,
  workspace: () => Knex.QueryBuilder,
  chosen: (sets: Knex.QueryBuilder, id: string) => Knex.QueryBuilder,
): Knex.QueryBuilder => {
  const unlessExcluded = (sets: Knex.QueryBuilder, id: string) =>
    chosen(sets, id)
      .whereNotExists(sql('policy_set_exclusions as x').whereRaw(`x.workspace_id = w.id and x.policy_set_id = ${id}`))
      .whereNotExists(
        sql('policy_set_project_exclusions as y').whereRaw(`y.project_id = w.project_id and y.policy_set_id = ${id}`),
      )
      .whereNotExists(
        sql(`${selectors} as x`).whereRaw(
          `x.policy_set_id = ${id} and x.excludes = TRUE and x.value = ${effectiveValue}`,
        ),
      );
  const attached = workspace().join('policy_set_workspaces as a', 'a.workspace_id', 'w.id');
  const ofProject = workspace().join('policy_set_projects as a', 'a.project_id', 'w.project_id');
  const global = workspace()
    .join('policy_sets as g', 'g.organization_id', 'o.id')
    // Spelled out and not bound, or the index of the global ones would not be known to hold them.
    .whereRaw('g.global = TRUE');
  const selecting = (bound: Knex.QueryBuilder) =>
    bound
      .join(`${selectors} as a`, (on) =>
        on.on('a.organization_id', 'w.organization_id').on('a.key', 't.key').on('a.value', 't.value'),
      )
      .whereRaw('a.excludes = FALSE');
  const ofTag = selecting(workspace().join('workspace_tag_bindings as t', 't.workspace_id', 'w.id'));
  const inherited = workspace().join('project_tag_bindings as t', 't.project_id', 'w.project_id');
  const ofInheritedTag = selecting(inherited).whereNotExists(
    sql('workspace_tag_bindings as b').whereRaw('b.workspace_id = w.id and b.key = t.key'),
  );
  return unlessExcluded(global, 'g.id').union(
    [attached, ofProject, ofTag, ofInheritedTag].map((sets) => unlessExcluded(sets, 'a.policy_set_id')),
  );
};

const idsApplyingTo = (sql: Knex, workspaceId: WorkspaceId): Knex.QueryBuilder =>
  applying(
    sql,
    () => activeWorkspaces(sql('workspaces as w')).where('w.id', workspaceId),
    (sets, id) => sets.select(id),
  );

const byName = (policySets: Knex.QueryBuilder): Knex.QueryBuilder =>
  policySets.orderByRaw('lower(p.name)').orderBy('p.id');

const setsApplyingTo = prepared((sql, { workspaceId }: { readonly workspaceId: WorkspaceId }) =>
  byName(
    living(sql)
      .whereIn('p.id', idsApplyingTo(sql, workspaceId))
      .select(...columnsOf('p', applyingRows.columns), {
        has_attached: sql.raw('exists (select 1 from policy_set_policies as lp where lp.policy_set_id = p.id)'),
      }),
  ),
);
