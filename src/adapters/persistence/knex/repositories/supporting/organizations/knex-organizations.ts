import type { Knex } from 'knex';
import {
  caseless,
  type MembershipFilter,
  type OrganizationFilter,
} from '../../../../../../application/ports/repositories/filters.js';
import type {
  MembershipRepository,
  MembershipView,
  OrganizationRepository,
} from '../../../../../../application/ports/repositories/organization-repository.js';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import { usersByReference } from '../../../../../../application/supporting/organizations/users-by-reference.js';
import { entryOf } from '../../../../../../domain/authorization/actor.js';
import {
  type Actor,
  alreadyTaken,
  type DataRetention,
  type ExecutionDefaults,
  type IdentityId,
  type Instant,
  type Member,
  type Membership,
  type MembershipId,
  memberOf,
  notFound,
  type Organization,
  type OrganizationId,
  type Standing,
  type Team,
  type UserId,
  type WithStanding,
} from '../../../../../../domain/index.js';
import { newestFirst, ofOrganization, ofPage, pageOfFound, withPart } from '../../../engine/lists.js';
import { inserted } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import { columnsOf, pageOf, type Statements, throwIfTaken } from '../../../engine/statements.js';
import {
  entered,
  settingsColumns,
  settingsFrom,
  settingsToRow,
} from '../../authorization/organization-settings-rows.js';
import { seeing, standingInEach } from '../../authorization/standing.js';
import { activeTeams, byTeamName, selectTeams, teamRows } from '../teams/knex-teams.js';
import { forgetUninvited, userRows } from '../users/knex-users.js';

const organizationRows = rowsOf<Organization>((row, as) => ({
  id: row.id,
  name: row.name,
  email: row.email,
  defaults: { executionMode: row.default_execution_mode, agentPoolId: row.default_agent_pool_id },
  settings: as.read(row, settingsColumns, settingsFrom),
  retention: as.group(row.retention_id, { id: row.retention_id, days: row.retention_days }),
  createdAt: row.created_at,
}));

const changeable = organizationRows.only('name', 'email');
const ownDefaults = organizationRows.only('defaults');
const ownRetention = organizationRows.only('retention');

const nameTaken = { name: () => alreadyTaken('name', 'Name') };

const living = (sql: Knex): Knex.QueryBuilder => sql('organizations as o').whereNull('o.deleted_at');

/** Those in which these users are members `m`, without invitations that wait. */
const joinedOrganizations = (sql: Knex, userIds: readonly UserId[]): Knex.QueryBuilder =>
  living(sql)
    .join('organization_memberships as m', 'm.organization_id', 'o.id')
    .whereIn('m.user_id', userIds)
    .whereNull('m.invited_email');

const byName = (matching: Knex.QueryBuilder): Knex.QueryBuilder =>
  matching
    .select(...columnsOf('o', organizationRows.columns))
    .orderByRaw('lower(o.name)')
    .orderBy('o.id');

const findOrganization = seeing(
  'organization',
  (sql, { name }: { readonly name: string }) =>
    living(sql)
      .where('o.name', name)
      .select(...columnsOf('o', organizationRows.columns)),
  organizationRows.read,
);

export class KnexOrganizations implements OrganizationRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, name: string): Promise<WithStanding<Organization> | undefined> {
    return findOrganization(this.db, actor, { name });
  }

  async find(id: OrganizationId): Promise<Organization | undefined> {
    const row = await this.db.first<object>(
      living(this.db.sql).where('o.id', id).select(columnsOf('o', organizationRows.columns)),
    );
    return row && organizationRows.read(row);
  }

  async joinedBy(userId: UserId): Promise<readonly Organization[]> {
    const joined = joinedOrganizations(this.db.sql, [userId]);
    const rows = await this.db.all<object>(joined.select(columnsOf('o', organizationRows.columns)).orderBy('o.id'));
    return rows.map(organizationRows.read);
  }

  async joinedByEach(userIds: readonly UserId[]): Promise<ReadonlyMap<UserId, readonly Organization[]>> {
    if (userIds.length === 0) return new Map();
    const joined = byName(joinedOrganizations(this.db.sql, userIds)).select({ joined_by: 'm.user_id' });
    const rows = await this.db.all<{ readonly joined_by: UserId }>(joined);
    const ofEach = Map.groupBy(rows, (row) => row.joined_by);
    return new Map([...ofEach].map(([userId, found]) => [userId, found.map(organizationRows.read)]));
  }

  add(organization: Organization): Promise<void> {
    const row = { ...organizationRows.write(organization), ...settingsToRow(organization) };
    return throwIfTaken(this.db.run(inserted(this.db, 'organizations', row)), nameTaken);
  }

  async save(organization: Organization): Promise<void> {
    const row = this.db.sql('organizations').where({ id: organization.id, deleted_at: null });
    const update = row.update({ ...changeable.write(organization), ...settingsToRow(organization) });
    const write = async () => {
      if ((await this.db.run(update)) === 0) throw notFound();
    };
    await throwIfTaken(write(), nameTaken);
  }

  async setRetention(id: OrganizationId, retention: DataRetention | null): Promise<void> {
    const row = this.db.sql('organizations').where({ id, deleted_at: null });
    await this.db.run(row.update(ownRetention.write({ retention })));
  }

  async retaining(after: OrganizationId): Promise<OrganizationId | undefined> {
    // The condition is that of the index.
    const retaining = living(this.db.sql).whereRaw('o.retention_days is not null').where('o.id', '>', after);
    const row = await this.db.first<{ readonly id: OrganizationId }>(retaining.select('o.id').orderBy('o.id').limit(1));
    return row?.id;
  }

  async setDefaults(id: OrganizationId, defaults: ExecutionDefaults): Promise<void> {
    const row = this.db.sql('organizations').where({ id, deleted_at: null });
    await this.db.run(row.update(ownDefaults.write({ defaults })));
  }

  async remove(id: OrganizationId, now: Instant): Promise<void> {
    await this.db.run(this.db.sql('organizations').where({ id, deleted_at: null }).update({ deleted_at: now }));
  }

  page(actor: Actor, page: PageRequest, { search, name, email }: OrganizationFilter = {}): Promise<Page<Organization>> {
    const own = withPart(withPart(this.ownOf(actor), 'o.name', name), 'o.email', email);
    if (search !== undefined) {
      own.where((any) =>
        any
          .where((named) => void withPart(named, 'o.name', search))
          .orWhere((reached) => void withPart(reached, 'o.email', search)),
      );
    }
    return pageOf(this.db, own, byName, organizationRows.read, page);
  }

  standingIn(actor: Actor, ids: readonly OrganizationId[]): Promise<(id: OrganizationId) => Standing> {
    return standingInEach(this.db, actor, ids);
  }

  pageOfAll(page: PageRequest): Promise<Page<Organization>> {
    return pageOf(this.db, living(this.db.sql), byName, organizationRows.read, page);
  }

  private ownOf(actor: Actor): Knex.QueryBuilder {
    // An audit token belongs to no organization's members, and lists none.
    if (actor.kind === 'auditor') return living(this.db.sql).whereRaw('1 = 0');
    if (actor.kind !== 'user') return living(this.db.sql).where('o.id', actor.organizationId);
    const own = living(this.db.sql)
      .join('organization_memberships as m', 'm.organization_id', 'o.id')
      .join('users as u', 'u.id', 'm.user_id')
      .where({ 'm.user_id': actor.userId, 'u.deleted_at': null, 'u.suspended': false });
    const entry = entryOf(actor);
    return entry === undefined ? own : entered(own, entry);
  }
}

/** The user's own columns keep their names; those of the membership that would meet them do not. */
interface MembershipRow {
  readonly id: UserId;
  readonly membership_id: MembershipId;
  readonly member_since: Instant;
  readonly organization_id: OrganizationId;
  readonly organization_name: string;
  readonly invited_email: string | null;
  readonly identity_id: IdentityId | null;
}

type WithoutTeams = Omit<MembershipView, 'teams'>;

const membershipColumns = {
  membership_id: 'm.id',
  member_since: 'm.created_at',
  organization_id: 'm.organization_id',
  organization_name: 'o.name',
  invited_email: 'm.invited_email',
  identity_id: 'm.identity_id',
};

const memberFromRow = (row: MembershipRow): WithoutTeams => ({
  id: row.membership_id,
  organizationId: row.organization_id,
  organizationName: row.organization_name,
  userId: row.id,
  createdAt: row.member_since,
  invitedEmail: row.invited_email,
  identityId: row.identity_id,
  user: memberOf({ invitedEmail: row.invited_email }, userRows.read(row)),
});

/** Memberships `m` of living users `u` in living organizations `o`. */
const activeMemberships = (sql: Knex): Knex.QueryBuilder =>
  sql('organization_memberships as m')
    .join('organizations as o', 'o.id', 'm.organization_id')
    .join('users as u', 'u.id', 'm.user_id')
    .where({ 'o.deleted_at': null, 'u.deleted_at': null });

/** Keeps memberships `l` with this part in a text, which reads the rows of their users. */
const searched = (members: Knex.QueryBuilder, search: string): Knex.QueryBuilder => {
  // The listed name is the username, or the invited address.
  return members
    .leftJoin('users as lu', (active) => active.on('lu.id', 'l.user_id').onNull('l.invited_email'))
    .where((any) =>
      any
        .where((named) => void withPart(named, 'l.listed_name', search))
        .orWhere((known) => void withPart(known, 'lu.email', search)),
    );
};

/** Restricts memberships `l` to those of which the filter names a whole value. */
function matching(members: Knex.QueryBuilder, sql: Knex, { emails, status }: MembershipFilter): Knex.QueryBuilder {
  if (status !== undefined) members.whereRaw(`(l.invited_email is null) = ${status === 'active' ? 'TRUE' : 'FALSE'}`);
  if (emails !== undefined) {
    const addresses = emails.map(caseless);
    const among = addresses.length === 0 ? 'null' : addresses.map(() => '?').join(', ');
    const holders = sql('users').whereRaw(`lower(email) in (${among})`, addresses).whereNull('deleted_at').select('id');
    members.where((any) =>
      any
        .whereRaw(`lower(l.invited_email) in (${among})`, addresses)
        .orWhere((one) => one.whereNull('l.invited_email').whereIn('l.user_id', holders)),
    );
  }
  return members;
}

const findMember = seeing(
  'organization',
  (sql, { id }: { readonly id: MembershipId }) =>
    activeMemberships(sql)
      .where('m.id', id)
      .select(...columnsOf('u', userRows.columns), membershipColumns),
  memberFromRow,
);

export class KnexMemberships implements MembershipRepository {
  constructor(private readonly db: Statements) {}

  async findFor(actor: Actor, id: MembershipId): Promise<WithStanding<MembershipView> | undefined> {
    const seen = await findMember(this.db, actor, { id });
    if (seen === undefined) return undefined;
    const teams = await this.teamsOf(seen.subject.organizationId, [seen.subject]);
    return { ...seen, subject: { ...seen.subject, teams: teams(seen.subject.userId) } };
  }

  async findUsers(organizationId: OrganizationId, references: readonly string[]): Promise<ReadonlyMap<string, Member>> {
    if (references.length === 0) return new Map();
    const named = `lower(u.username) in (${references.map(() => 'lower(?)').join(', ')})`;
    const rows = await this.db.all<MembershipRow>(
      this.living()
        .where('m.organization_id', organizationId)
        .where((any) => any.whereIn('m.id', references).orWhereIn('u.id', references).orWhereRaw(named, references))
        .select(...columnsOf('u', userRows.columns), membershipColumns)
        .forKeyShare('m'),
    );
    return usersByReference(rows.map(memberFromRow), references);
  }

  async idsOf(organizationId: OrganizationId, userIds: readonly UserId[]): Promise<ReadonlyMap<UserId, MembershipId>> {
    if (userIds.length === 0) return new Map();
    const rows = await this.db.all<MembershipRow>(
      this.living().where('m.organization_id', organizationId).whereIn('m.user_id', userIds).select('u.id', {
        membership_id: 'm.id',
      }),
    );
    return new Map(rows.map((row) => [row.id, row.membership_id]));
  }

  async ofUsers(organizationId: OrganizationId, userIds: readonly UserId[]): Promise<readonly MembershipView[]> {
    if (userIds.length === 0) return [];
    const rows = await this.db.all<MembershipRow>(
      this.living()
        .where('m.organization_id', organizationId)
        .whereIn('m.user_id', userIds)
        .select(...columnsOf('u', userRows.columns), membershipColumns)
        .orderBy(['m.listed_name', 'm.id']),
    );
    const members = rows.map(memberFromRow);
    const teams = await this.teamsOf(organizationId, members);
    return members.map((member) => ({ ...member, teams: teams(member.userId) }));
  }

  add(membership: Membership): Promise<void> {
    const row = {
      id: membership.id,
      organization_id: membership.organizationId,
      user_id: membership.userId,
      created_at: membership.createdAt,
      invited_email: membership.invitedEmail,
      identity_id: membership.identityId,
    };
    return throwIfTaken(this.db.run(inserted(this.db, 'organization_memberships', row)), {
      user_id: () => alreadyTaken('email', 'User'),
    });
  }

  async accept(userId: UserId): Promise<void> {
    const { sql } = this.db;
    const invited = sql('organization_memberships').where('user_id', userId).whereNotNull('invited_email');
    // In one order, so that two requests of the user do not wait for each other in a circle.
    const rows = await this.db.all<{ readonly id: MembershipId }>(invited.select('id').orderBy('id').forUpdate());
    const ids = rows.map(({ id }) => id);
    await this.db.run(sql('organization_memberships').whereIn('id', ids).update({ invited_email: null }));
  }

  async remove({ id, organizationId, userId }: Membership): Promise<void> {
    const { sql } = this.db;
    await this.db.run(sql('team_members').where({ user_id: userId, organization_id: organizationId }).delete());
    await this.db.run(sql('organization_memberships').where({ id }).delete());
    await forgetUninvited(this.db, [userId]);
  }

  async page(
    organizationId: OrganizationId,
    page: PageRequest,
    filter: MembershipFilter = {},
  ): Promise<Page<MembershipView>> {
    const { sql } = this.db;
    const listed = () =>
      matching(
        ofOrganization(sql, 'organization_memberships', organizationId).whereNotNull('l.listed_name'),
        sql,
        filter,
      );
    const present = (ids: Knex.QueryBuilder) =>
      ofPage(this.living(), ids, 'm')
        .select(...columnsOf('u', userRows.columns), membershipColumns)
        .orderBy(['m.listed_name', 'm.id']);
    const inOrder = (members: Knex.QueryBuilder) => members.select('l.id').orderBy(['l.listed_name', 'l.id']);
    const found = await (filter.search === undefined
      ? pageOf(this.db, listed(), (part) => present(inOrder(part)), memberFromRow, page)
      : pageOfFound<MembershipRow, WithoutTeams>(
          this.db,
          () => newestFirst(listed().select('l.id', 'l.listed_name', 'l.user_id', 'l.invited_email'), 'l'),
          (newest) => inOrder(searched(sql.from(newest.as('l')), filter.search ?? '')),
          (ids) => present(sql('organization_memberships as p').whereIn('p.id', ids).select('p.id')),
          memberFromRow,
          page,
        ));
    const teams = await this.teamsOf(organizationId, found.items);
    return { ...found, items: found.items.map((member) => ({ ...member, teams: teams(member.userId) })) };
  }

  /** By team name. One statement for all of them. */
  private async teamsOf(
    organizationId: OrganizationId,
    members: readonly WithoutTeams[],
  ): Promise<(userId: UserId) => readonly Team[]> {
    if (members.length === 0) return () => [];
    const { sql } = this.db;
    const teams = activeTeams(sql)
      .join('team_members as tm', 'tm.team_id', 't.id')
      .where('tm.organization_id', organizationId)
      .whereIn(
        'tm.user_id',
        members.map(({ userId }) => userId),
      )
      .select({ member_id: 'tm.user_id' });
    const rows = await this.db.all<{ readonly member_id: UserId }>(byTeamName(selectTeams(sql, teams)));
    const ofUser = Map.groupBy(rows, (row) => row.member_id);
    return (userId) => (ofUser.get(userId) ?? []).map(teamRows.read);
  }

  private living(): Knex.QueryBuilder {
    return activeMemberships(this.db.sql);
  }
}
