import { rightsOfGrant, rightsOfProjectGrant } from '../../domain/authorization/rights-of-grant.js';
import {
  type Actor,
  authorized,
  type Grant,
  type Instant,
  type OrganizationId,
  type ProjectGrant,
  type TeamId,
  type Timed,
} from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { ReportedGrant, ReportedPerson, ReportedTeam } from '../ports/repositories/access-holders.js';
import type { Place } from '../ports/repositories/page.js';
import type { Snapshots } from '../ports/repositories/snapshots.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** The access that a person has in one place through one team, or through the membership itself. */
export interface AccessReportRow {
  readonly person: Pick<ReportedPerson, 'userId' | 'name' | 'invited'>;
  /** Null for the membership. */
  readonly team: Pick<ReportedTeam, 'teamId' | 'name'> | null;
  readonly place: {
    readonly kind: 'organization' | 'project' | 'workspace';
    readonly id: string;
    readonly name: string;
  };
  /** `member` or `owner` of the organization, `custom` for its permissions, or the level of the grant. */
  readonly level: string;
  readonly rights: readonly string[];
  /** Null if the grant, and the person's place in the team, began before that was recorded. */
  readonly since: Instant | null;
  /** Null for what has no end. */
  readonly until: Instant | null;
  /** The level that is left from then on, or `none`. Null for what has no end. */
  readonly fallback: string | null;
}

/** Rows of one moment, in parts. `return` ends the report. */
export type AccessReportParts = Required<AsyncIterableIterator<AccessReportPart, undefined>>;

export interface AccessReportPart {
  /** The moment, which is the same in every part. */
  readonly at: Instant;
  readonly rows: readonly AccessReportRow[];
}

/** The rows of a part, which are in memory together. */
const rowsAtOnce = 100;
const peopleAtOnce = 25;

/** Grants of teams that many people share, which take 4 to 8 MB. */
const grantsRemembered = 20_000;

type Reading = Transaction<'accessHolders'>;

/** GET /organizations/:name/access-report: each person with each of their grants, which are never expanded to workspaces. */
export class ReadAccessReport {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'audit'>,
    private readonly snapshots: Snapshots<'accessHolders'>,
  ) {}

  /** Throws `snapshots/busy` while a report of the organization is read. */
  async execute(actor: Actor, organizationName: string): Promise<AccessReportParts> {
    const organization = await this.unitOfWork.read(async (tx) =>
      authorized(await tx.organizations.findFor(actor, organizationName), 'access-report/read'),
    );
    const parts = await this.snapshots.read(organization.id, (tx) => partsOf(tx, organization));
    try {
      await this.unitOfWork.run(async (tx) => {
        const seen = await tx.organizations.findFor(actor, organizationName);
        const { subject, done } = changing(actor, seen, 'access-report/read');
        await tx.audit.add(done(subject.id), { organizationId: subject.id });
      });
      return parts;
    } catch (error) {
      await parts.return();
      throw error;
    }
  }

  /** Throws `resource/not-found` once the caller may not read it any more: a report takes a while. */
  async recheck(actor: Actor, organizationName: string): Promise<void> {
    await this.unitOfWork.read(async (tx) =>
      authorized(await tx.organizations.findFor(actor, organizationName), 'access-report/read'),
    );
  }
}

interface Reported {
  readonly id: OrganizationId;
  readonly name: string;
}

async function* partsOf(tx: Reading, organization: Reported): AsyncGenerator<AccessReportPart, undefined> {
  const at = await tx.accessHolders.now();
  let rows: AccessReportRow[] = [];
  for await (const more of rowsOf(tx, organization, at)) {
    rows.push(...more);
    if (rows.length < rowsAtOnce) continue;
    yield { at, rows };
    rows = [];
  }
  yield { at, rows };
}

async function* rowsOf(
  { accessHolders }: Reading,
  { id, name }: Reported,
  at: Instant,
): AsyncGenerator<readonly AccessReportRow[]> {
  const place = { kind: 'organization', id, name } as const;
  const grants = new GrantsOfTeams(accessHolders, at);
  let after: Place | undefined;
  do {
    const { items, last } = await accessHolders.peopleAfter(id, after, peopleAtOnce);
    for (const { userId, name: username, invited, since, teams } of items) {
      const person = { userId, name: username, invited };
      yield [{ person, team: null, place, level: 'member', rights: [], since, ...endless }];
      for (const team of teams) {
        yield inOrganization(team).map((given) => ({ person, team, place, ...given }));
        for await (const given of grants.of(team.teamId)) {
          yield given.map((one) => ({ person, team, ...one, since: later(one.since, team.joinedAt) }));
        }
      }
    }
    after = last;
  } while (after !== undefined);
}

const endless = { until: null, fallback: null };

/** A beginning that is not recorded is earlier than any that is. */
const later = (a: Instant | null, b: Instant | null): Instant | null => (a === null || (b !== null && b > a) ? b : a);

function inOrganization({ owners, access, joinedAt, accessChangedAt }: ReportedTeam) {
  if (owners) return [{ level: 'owner', rights: ['all'], since: joinedAt, ...endless }];
  if (access.size === 0) return [];
  return [{ level: 'custom', rights: [...access], since: later(joinedAt, accessChangedAt), ...endless }];
}

type OfTeam = Pick<AccessReportRow, 'place' | 'level' | 'rights' | 'since' | 'until' | 'fallback'>;

const given = <Given extends Grant | ProjectGrant>(
  kind: 'project' | 'workspace',
  { placeId, placeName, grant, since }: ReportedGrant<Given>,
  rights: readonly string[],
): OfTeam => ({
  place: { kind, id: placeId, name: placeName },
  level: grant.access,
  rights,
  since,
  ...endOf(grant),
});

const endOf = ({ ends }: Timed<Grant | ProjectGrant>) =>
  ends === undefined ? endless : { until: ends.at, fallback: ends.fallback?.access ?? 'none' };

/** The grants of teams, projects first, of which those read last are remembered. */
class GrantsOfTeams {
  private readonly remembered = new Map<TeamId, readonly OfTeam[]>();
  private count = 0;

  constructor(
    private readonly accessHolders: Reading['accessHolders'],
    private readonly at: Instant,
  ) {}

  async *of(teamId: TeamId): AsyncGenerator<readonly OfTeam[]> {
    const known = this.remembered.get(teamId);
    if (known !== undefined) return yield* inParts(known);
    let all: OfTeam[] | undefined = [];
    for await (const slice of this.read(teamId)) {
      yield slice;
      if (all !== undefined && all.length + slice.length <= grantsRemembered) all.push(...slice);
      else all = undefined;
    }
    if (all !== undefined) this.remember(teamId, all);
  }

  private async *read(teamId: TeamId): AsyncGenerator<readonly OfTeam[]> {
    for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
      const { items, last } = await this.accessHolders.projectGrants(teamId, this.at, after, rowsAtOnce);
      yield items.map((one) => given('project', one, rightsOfProjectGrant(one.grant)));
      after = last;
    }
    for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
      const { items, last } = await this.accessHolders.workspaceGrants(teamId, this.at, after, rowsAtOnce);
      yield items.map((one) => given('workspace', one, rightsOfGrant(one.grant)));
      after = last;
    }
  }

  private remember(teamId: TeamId, grants: readonly OfTeam[]): void {
    this.remembered.set(teamId, grants);
    this.count += grants.length;
    for (const [oldest, { length }] of this.remembered) {
      if (this.count <= grantsRemembered) return;
      this.remembered.delete(oldest);
      this.count -= length;
    }
  }
}

function* inParts<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += rowsAtOnce) yield items.slice(from, from + rowsAtOnce);
}
