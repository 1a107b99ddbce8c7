import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type KnexDatabase, openPostgres, openSqlite } from '../../../adapters/persistence/knex/knex-database.js';
import type { BundleStore, Clock, Page, PageRequest, Transaction, UnitOfWork } from '../../../application/index.js';
import type { UseCases } from '../../../application/use-cases.js';
import {
  type Actor,
  type AuditActor,
  notFound,
  type Standing,
  type User,
  type WithStanding,
} from '../../../domain/index.js';
import { dataDirectory, OperatorError, refuseOtherUsers } from '../../backup.js';
import { type Config, postgresPlace } from '../../config.js';
import { buildContainer } from '../../container/build-container.js';
import { resolve } from '../../container/provide.js';
import { openBundleStore } from '../../service.js';
import type { Call } from './command.js';

/**
 * The operator, who has access to the configuration and the data, acts as a site administrator without a user in the
 * database. Resources the operator creates, and the audit trail, carry this name.
 */
export const operatorId = 'operator';

/** A placeholder, since the operator presents no token. */
const tokenId = 'command-line';

const isOperator = (actor: Actor): boolean => actor.kind === 'user' && actor.userId === operatorId;

/** The audit actor, also for actions in place of a user. */
const byOperator = (actor: AuditActor): AuditActor =>
  actor.tokenId === tokenId ? { kind: 'user', id: operatorId, tokenId } : actor;

/** The standing of an owner in every organization. */
const lent = (standing: Standing): Standing => ({
  ...standing,
  member: true,
  teams: [...standing.teams, { teamId: operatorId, owners: true, access: new Set() }],
});

const withStandingLent =
  <Sought, Subject>(find: (actor: Actor, sought: Sought) => Promise<WithStanding<Subject> | undefined>) =>
  async (actor: Actor, sought: Sought): Promise<WithStanding<Subject> | undefined> => {
    const seen = await find(actor, sought);
    return seen && isOperator(actor) ? { ...seen, standing: lent(seen.standing) } : seen;
  };

const withMembers = <Repository extends object>(repository: Repository, members: Partial<Repository>): Repository =>
  Object.assign(Object.create(repository) as Repository, members);

const asOperator = (tx: Transaction): Transaction => ({
  ...tx,
  organizations: withMembers(tx.organizations, {
    findFor: withStandingLent((actor, name: string) => tx.organizations.findFor(actor, name)),
    standingIn: async (actor, ids) => {
      const standingIn = await tx.organizations.standingIn(actor, ids);
      return isOperator(actor) ? (id) => lent(standingIn(id)) : standingIn;
    },
    page: (actor, page) => (isOperator(actor) ? tx.organizations.pageOfAll(page) : tx.organizations.page(actor, page)),
  }),
  teams: withMembers(tx.teams, {
    findFor: withStandingLent((actor, id: string) => tx.teams.findFor(actor, id)),
    findLimitedFor: withStandingLent((actor, id: string) => tx.teams.findLimitedFor(actor, id)),
  }),
  workspaces: withMembers(tx.workspaces, {
    findFor: withStandingLent((actor, id: string) => tx.workspaces.findFor(actor, id)),
  }),
  projects: withMembers(tx.projects, {
    findFor: withStandingLent((actor, id: string) => tx.projects.findFor(actor, id)),
  }),
  agentPools: withMembers(tx.agentPools, {
    findFor: withStandingLent((actor, id: string) => tx.agentPools.findFor(actor, id)),
  }),
  audit: withMembers(tx.audit, {
    add: (event, place) => tx.audit.add({ ...event, actor: byOperator(event.actor) }, place),
  }),
});

/**
 * Gives the operator the standing of an owner in every organization. The use cases and the policy are the service's,
 * unchanged; only this process overrides the standing.
 */
class OperatorUnitOfWork implements UnitOfWork {
  constructor(private readonly inner: UnitOfWork) {}

  run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.inner.run((tx) => work(asOperator(tx)));
  }

  read<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.inner.read((tx) => work(asOperator(tx)));
  }
}

/** The service's use cases, without the service. */
export interface Workplace {
  readonly unitOfWork: UnitOfWork;
  readonly operator: Actor;
  /** For actions that the policy reserves for users. */
  inPlaceOf(user: User): Actor;
  readonly use: UseCases;
  readonly clock: Clock;
}

/** Opens the database, of any schema version, for `work`. */
export async function inDatabase<Result>(
  config: Config,
  work: (database: KnexDatabase) => Promise<Result>,
): Promise<Result> {
  const { DATABASE_URL: url, DATA_DIR } = config;
  const database =
    url === undefined
      ? openSqlite(dataDirectory(DATA_DIR).database)
      : openPostgres(url, { ...postgresPlace(config), poolSize: 2 });
  return work(database).finally(() => database.close());
}

/** Opens the database for `work`; its schema must be this release's. */
export async function withDatabase<Result>(
  config: Config,
  work: (database: KnexDatabase) => Promise<Result>,
): Promise<Result> {
  const { database: file } = dataDirectory(config.DATA_DIR);
  if (config.DATABASE_URL === undefined) {
    await refuseOtherUsers(config, 'database');
    if (!existsSync(file)) {
      throw new OperatorError(`${file} does not exist. Start the service or run gatehouse migrate to create it`);
    }
  }
  return inDatabase(config, async (database) => {
    const { missing, refusal } = await database.schema();
    if (refusal !== undefined) throw refusal;
    if (missing.length > 0) {
      throw new OperatorError(
        `the database has pending migrations: ${missing.join(', ')}. Run gatehouse migrate, or start the service of this release`,
      );
    }
    return work(database);
  });
}

/** Opens the store as the service does. An unreachable store fails on its first use. */
export async function openStore(config: Config): Promise<BundleStore> {
  if (config.ARCHIVE_STORE === 'file') await refuseOtherUsers(config, 'bundles');
  return openBundleStore(config, { error: () => undefined });
}

/** The base of the URLs of the service with this configuration. */
export const publicUrlOf = ({ PUBLIC_URL, HOST, PORT }: Config): string => PUBLIC_URL ?? `http://${HOST}:${PORT}`;

const noStore = new Proxy({} as BundleStore, {
  get: () => {
    throw new Error('this command does not use the archive store');
  },
});

/** Assembles the use cases on the database and a store for `work`. */
export function atWork<Result>(
  { command, config }: Pick<Call, 'command' | 'config'>,
  work: (place: Workplace) => Promise<Result>,
  open?: () => Promise<BundleStore>,
): Promise<Result> {
  return withDatabase(config, async (database) => {
    const bundleStore = open === undefined ? noStore : await open();
    const never = new AbortController().signal;
    const container = buildContainer({
      config,
      unitOfWork: new OperatorUnitOfWork(database.unitOfWork),
      snapshots: database.snapshots,
      bundleStore,
      publicUrl: publicUrlOf(config),
      // Nothing is signed or sealed here, and a file created here could belong to another user than the service's.
      signingSecrets: ['nothing that is signed or sealed with this is of any worth'],
      log: { info: () => undefined, error: () => undefined },
      ready: async () => undefined,
      readOnly: async () => false,
      stopping: never,
      stopped: never,
    });
    const request = { id: randomUUID(), address: null, route: `gatehouse ${command}` };
    return work({
      unitOfWork: resolve(container, 'unitOfWork'),
      operator: { kind: 'user', userId: operatorId, siteAdministrator: true, tokenId, request },
      inPlaceOf: ({ id: userId, siteAdministrator }) => ({ kind: 'user', userId, siteAdministrator, tokenId, request }),
      use: resolve(container, 'useCases'),
      clock: resolve(container, 'clock'),
    });
  });
}

const pageSize = 100;

/** All items of a paginated list. */
export async function all<Item>(list: (page: PageRequest) => Promise<Page<Item>>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let number = 1; ; number += 1) {
    const page = await list({ number, size: pageSize });
    items.push(...page.items);
    if (page.items.length < pageSize) return items;
  }
}

/** The result of `find`. Throws `OperatorError` if there is none, or with the sentence of a `resource/not-found`. */
export async function findOrFail<Found>(what: string, find: Promise<Found | undefined>): Promise<Found> {
  const found = await find.catch((error: unknown) => {
    if ((error as { code?: string }).code === notFound().code) return undefined;
    throw error;
  });
  if (found === undefined) throw new OperatorError(`there is no ${what}`);
  return found;
}

export const userNamed = ({ unitOfWork }: Workplace, name: string): Promise<User> =>
  findOrFail(
    `user ${name}`,
    unitOfWork.read((tx) => tx.users.findByUsername(name)),
  );
