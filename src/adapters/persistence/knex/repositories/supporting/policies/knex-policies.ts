import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type {
  PolicyQuery,
  PolicyRepository,
} from '../../../../../../application/ports/repositories/policy-repository.js';
import {
  type Actor,
  alreadyTaken,
  type ManagedPolicy,
  type OrganizationId,
  type PolicyId,
  type WithStanding,
} from '../../../../../../domain/index.js';
import { idsIn, ofOrganization, ofPage, sorted, withPart } from '../../../engine/lists.js';
import { inserted } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import { columnsOf, pageOf, type Statements, throwIfStale, throwIfTaken } from '../../../engine/statements.js';
import { seeing } from '../../authorization/standing.js';

export const policyRows = rowsOf<ManagedPolicy>((row, as) => ({
  id: row.id,
  organizationId: row.organization_id,
  organizationName: as.joined(row.organization_name),
  name: row.name,
  description: row.description,
  kind: row.kind,
  query: row.query,
  enforcementLevel: row.enforcement_level,
  code: row.code,
  policySetIds: as.joined(row.policy_set_ids, idsIn),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  revision: row.revision,
}));

const changeable = policyRows.except('id', 'organizationId', 'name', 'kind', 'createdAt');

const policySetIds = `(select string_agg(l.policy_set_id, ' ') from policy_set_policies as l where l.policy_id = y.id)`;

/** Policies `y` of living organizations `o`. */
export const activePolicies = (sql: Knex): Knex.QueryBuilder =>
  sql('policies as y').join('organizations as o', 'o.id', 'y.organization_id').whereNull('o.deleted_at');

export const selectPolicies = (sql: Knex, policies: Knex.QueryBuilder): Knex.QueryBuilder =>
  policies.select(...columnsOf('y', policyRows.columns), {
    organization_name: 'o.name',
    policy_set_ids: sql.raw(policySetIds),
  });

export const policiesByName = (policies: Knex.QueryBuilder): Knex.QueryBuilder =>
  policies.orderByRaw('lower(y.name)').orderBy('y.id');

const nameTaken = { name: () => alreadyTaken('name', 'Name') };

const findWithStanding = seeing(
  'organization',
  (sql, { id }: { readonly id: PolicyId }) => selectPolicies(sql, activePolicies(sql).where('y.id', id)),
  policyRows.read,
);

export class KnexPolicies implements PolicyRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, id: PolicyId): Promise<WithStanding<ManagedPolicy> | undefined> {
    return findWithStanding(this.db, actor, { id });
  }

  async allOf(organizationId: OrganizationId, ids: readonly PolicyId[]): Promise<readonly ManagedPolicy[]> {
    const { sql } = this.db;
    const these = activePolicies(sql).where('y.organization_id', organizationId).whereIn('y.id', ids);
    return (await this.db.all<object>(policiesByName(selectPolicies(sql, these)))).map(policyRows.read);
  }

  async add(policy: ManagedPolicy): Promise<void> {
    await throwIfTaken(this.db.run(inserted(this.db, 'policies', policyRows.write(policy))), nameTaken);
  }

  async save(policy: ManagedPolicy): Promise<void> {
    const { id, revision } = policy;
    const row = this.db.sql('policies').where({ id, revision: revision - 1 });
    await throwIfStale({ table: 'policies', id }, this.db.run(row.update(changeable.write(policy))));
  }

  async remove(id: PolicyId): Promise<void> {
    const { sql } = this.db;
    await this.db.run(sql('policy_set_policies').where('policy_id', id).delete());
    // If two remove it at once, the second decides again and finds nothing.
    await throwIfStale({ table: 'policies', id }, this.db.run(sql('policies').where({ id }).delete()));
  }

  page({ organizationId, kind, search, sort }: PolicyQuery, page: PageRequest): Promise<Page<ManagedPolicy>> {
    const { sql } = this.db;
    const listed = withPart(ofOrganization(sql, 'policies', organizationId), 'l.name', search);
    if (kind !== undefined) listed.where('l.kind', kind);
    const inOrder = (policies: Knex.QueryBuilder, alias: string) =>
      sorted(
        policies,
        alias,
        sort?.key === 'created-at' ? `${alias}.created_at` : `lower(${alias}.name)`,
        sort?.descending,
      );
    const present = (part: Knex.QueryBuilder) =>
      inOrder(selectPolicies(sql, ofPage(activePolicies(sql), inOrder(part.select('l.id'), 'l'), 'y')), 'y');
    return pageOf(this.db, listed, present, policyRows.read, page);
  }

  async keepCode(organizationId: OrganizationId, code: string): Promise<string> {
    const sha256 = createHash('sha256').update(code).digest('hex');
    const row = { organization_id: organizationId, sha256, code };
    await this.db.run(this.db.sql('policy_codes').insert(row).onConflict(['organization_id', 'sha256']).ignore());
    return sha256;
  }

  async findCode(organizationId: OrganizationId, sha256: string): Promise<string | undefined> {
    const row = this.db.sql('policy_codes').where({ organization_id: organizationId, sha256 }).select('code');
    return (await this.db.first<{ readonly code: string }>(row))?.code;
  }
}
