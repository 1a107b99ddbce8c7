import {
  type Actor,
  authorize,
  DomainError,
  type Instant,
  later,
  type NewAuditEvent,
  notFound,
  signInCodeOf,
  signInLinkSeconds,
  standingOnSite,
  type User,
} from '../../../domain/index.js';
import { doneBy, doneBySystem } from '../../../domain/supporting/audit/audit-event.js';
import { sessionStarted } from '../../../domain/supporting/sign-in/session-events.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { NewSession, NewSessions } from './new-sessions.js';
import type { BrowserSignIn } from './sign-in-with-token.js';

export interface IssuedSignInLink {
  readonly user: User;
  readonly code: string;
  readonly expiresAt: Instant;
}

/** The code of a link that signs a user in. It replaces an earlier one of the user. */
export class IssueSignInLink {
  constructor(
    private readonly unitOfWork: UnitOfWork<'sessions' | 'users' | 'audit'>,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
  ) {}

  /** On the command line. Throws `resource/not-found` for a suspended user, whom no link signs in. */
  async execute(actor: Actor, user: User): Promise<IssuedSignInLink> {
    authorize(standingOnSite(actor), 'users/manage');
    if (user.suspended) throw notFound();
    return this.issue(user, doneBy(actor, 'sign-in-links/issue', user.id));
  }

  /** For a site administrator; undefined once a user has signed in. */
  async first(): Promise<IssuedSignInLink | undefined> {
    const user = await this.unitOfWork.read(async (tx) => {
      if (await tx.sessions.anyEver()) return undefined;
      const filter = { siteAdministrator: true, suspended: false };
      return (await tx.users.page({ number: 1, size: 1 }, filter)).items[0];
    });
    return user && this.issue(user, doneBySystem('sign-in-links/issue', user.id));
  }

  private async issue(user: User, event: NewAuditEvent): Promise<IssuedSignInLink> {
    const code = signInCodeOf(this.secrets.generate().secret, user);
    const expiresAt = later(this.clock.now(), signInLinkSeconds);
    await this.unitOfWork.run(async (tx) => {
      await tx.sessions.keepLink({ userId: user.id, codeDigest: this.secrets.digestOf(code), expiresAt });
      await tx.audit.add(event, 'site');
    });
    return { user, code, expiresAt };
  }
}

/** POST /session with the code of a link, which is used up. */
export class SignInByLink {
  constructor(
    private readonly unitOfWork: UnitOfWork<'sessions' | 'users' | 'audit'>,
    private readonly sessions: NewSessions,
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
  ) {}

  /** Throws `actor/unauthenticated` for a code that is unknown, was used or has expired, or whose user is suspended or gone. */
  execute({ secret: code, former, request }: BrowserSignIn): Promise<NewSession> {
    return this.unitOfWork.run(async (tx) => {
      const link = await tx.sessions.takeLink(this.secrets.digestOf(code));
      if (link === undefined || link.expiresAt <= this.clock.now()) throw unusable();
      const { userId } = link;
      const made = this.sessions.make({ userId });
      const actor = { kind: 'user', userId, siteAdministrator: false, tokenId: made.session.id, request } as const;
      await this.sessions.begin(tx, actor, made.session, former);
      // Not earlier: a suspension that was under way is committed now, and one that comes later ends this session.
      const user = await tx.users.find(userId);
      if (user === undefined || user.suspended) throw unusable();
      await tx.audit.add(doneBy(actor, 'sign-in-links/redeem', userId), 'site');
      await tx.audit.add(sessionStarted(actor, made.session), 'site');
      return made;
    });
  }
}

const unusable = () =>
  new DomainError(
    'actor/unauthenticated',
    'the link is unknown, was used or replaced, or has expired. Ask the operator for another one: gatehouse sign-in-link',
  );
