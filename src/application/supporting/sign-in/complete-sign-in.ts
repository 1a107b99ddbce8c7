import {
  type Identity,
  isDomainError,
  type ProvenIdentity,
  provenAddress,
  type RequestTrace,
  refusedSignIn,
  type Session,
  type SessionId,
  type User,
  usernamesFor,
} from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import { checkEmail } from '../../../domain/supporting/organizations/organization.js';
import { sessionStarted, tokenSessionsEnded } from '../../../domain/supporting/sign-in/session-events.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { IdentityProvider } from '../../ports/outside/identity-provider.js';
import type { Settings } from '../../ports/outside/settings.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { GroupMemberships } from './group-memberships.js';
import type { IdentityLinks } from './identity-links.js';
import type { NewSessions } from './new-sessions.js';
import type { BegunSignIn, PendingSignIns } from './pending-sign-in.js';

export interface Callback {
  /** The query of the provider's redirect. */
  readonly query: string;
  /** The sealed text that the browser kept. */
  readonly sealed: string | undefined;
  /** The secret of the session that the browser has. It ends. */
  readonly secret: string | undefined;
  readonly request: RequestTrace;
}

export interface SignedIn {
  readonly session: Session;
  readonly secret: string;
  readonly returnTo: string;
}

type StoredNames = 'identities' | 'sessions' | 'users' | 'teamGroups' | 'teams' | 'memberships' | 'rowLocks' | 'audit';
type Stored = Transaction<StoredNames>;

/** The user who signs in, and what the sign-in made. */
interface Found {
  readonly user: User;
  readonly identity: Identity;
  readonly isLinked: boolean;
  readonly isNew: boolean;
}

/** More than the browsers with which people of one name sign in for the first time at once. */
const maxAttempts = 20;

/** GET /session/callback: the person comes back from the provider, and gets a new session. */
export class CompleteSignIn {
  constructor(
    private readonly unitOfWork: UnitOfWork<StoredNames>,
    private readonly pending: PendingSignIns,
    private readonly provider: IdentityProvider,
    private readonly links: IdentityLinks,
    private readonly groups: GroupMemberships,
    private readonly sessions: NewSessions,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly settings: Pick<Settings, 'createsUsersAtSignIn'>,
  ) {}

  /**
   * The session, or what the browser goes on to: a person who links an identity signs in twice. Throws
   * `sign-in/not-begun`, `sign-in/refused`, `sign-in/provider-unavailable`, and `attribute/invalid`.
   */
  async execute({ query, sealed, secret: former, request }: Callback): Promise<SignedIn | BegunSignIn> {
    const pending = this.pending.open(sealed);
    const { purpose, returnTo } = pending;
    const proven = await this.provider.finish(query, pending);
    if (purpose.kind === 'confirm-link') return this.links.confirmed(purpose, former, proven, returnTo);
    const linkTo = purpose.kind === 'link' ? purpose.sessionId : undefined;
    return { ...(await this.signIn(proven, linkTo, former, request)), returnTo };
  }

  /** Sign-ins that are first at the same time take the same subject, address or username: all but one try again. */
  private async signIn(
    proven: ProvenIdentity,
    linkTo: SessionId | undefined,
    former: string | undefined,
    request: RequestTrace,
  ): Promise<Omit<SignedIn, 'returnTo'>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.unitOfWork.run((tx) => this.signInOnce(tx, proven, linkTo, former, request));
      } catch (error) {
        const isTaken = isDomainError(error) && error.code === 'attribute/taken';
        if (!isTaken || attempt === maxAttempts) throw error;
      }
    }
  }

  private async signInOnce(
    tx: Stored,
    proven: ProvenIdentity,
    linkTo: SessionId | undefined,
    former: string | undefined,
    request: RequestTrace,
  ): Promise<Omit<SignedIn, 'returnTo'>> {
    const { user, identity, isLinked, isNew, ended } =
      linkTo === undefined
        ? { ...(await this.userOf(tx, proven)), ended: [] }
        : { ...(await this.links.link(tx, linkTo, former, proven)), isNew: false };
    if (user.suspended) throw refusedSignIn('Your user is suspended. Ask a site administrator.');
    const { id: userId, siteAdministrator } = user;
    const made = this.sessions.make({ userId, identityId: identity.id });
    const { id } = made.session;
    const actor = { kind: 'user', userId, siteAdministrator, tokenId: id, request } as const;
    for (const event of tokenSessionsEnded(actor, ended)) await tx.audit.add(event, 'site');
    await this.sessions.begin(tx, actor, made.session, former);
    if (isNew) await tx.audit.add(doneBy(actor, 'users/create-at-sign-in', userId), 'site');
    if (isLinked) await tx.audit.add(doneBy(actor, 'identities/link', identity.id), 'site');
    await tx.audit.add(sessionStarted(actor, made.session), 'site');
    if (proven.groups !== null) await this.groups.follow(tx, actor, user, identity.id, proven.groups);
    return made;
  }

  private async userOf(tx: Stored, proven: ProvenIdentity): Promise<Found> {
    const found = await tx.identities.find(proven.issuer, proven.subject);
    if (found !== undefined) return { ...found, isLinked: false, isNew: false };
    if (!this.settings.createsUsersAtSignIn) {
      throw refusedSignIn(
        `No user of this service has the identity with which you signed in. Ask a site administrator to link it to your user: its issuer is ${proven.issuer}, its subject is ${proven.subject}.`,
      );
    }
    const email = checkEmail(provenAddress(proven));
    const createdAt = this.clock.now();
    const { id, registered } = await tx.users.reserve(email, this.ids.ofAddress(email), createdAt, 'to add');
    if (registered) return this.madeMeanwhile(tx, proven);
    const username = await this.freeUsername(tx, proven);
    const user: User = { id, username, email, siteAdministrator: false, suspended: false, createdAt };
    await tx.users.add(user);
    return { user, identity: await this.links.add(tx, user, proven), isLinked: true, isNew: true };
  }

  /** The address has a user: the person's own, if the person's first sign-in has just ended elsewhere. */
  private async madeMeanwhile(tx: Stored, proven: ProvenIdentity): Promise<Found> {
    const found = await tx.identities.find(proven.issuer, proven.subject);
    if (found !== undefined) return { ...found, isLinked: false, isNew: false };
    throw refusedSignIn(
      `A user of this service has your e-mail address, and an address proves nothing about who it is. Ask a site administrator to link your identity to that user: its issuer is ${proven.issuer}, its subject is ${proven.subject}.`,
    );
  }

  private async freeUsername(tx: Stored, proven: ProvenIdentity): Promise<string> {
    for (const username of usernamesFor(proven)) {
      if ((await tx.users.findByUsername(username)) === undefined) return username;
    }
    throw new Error('the sequence of usernames ended');
  }
}
