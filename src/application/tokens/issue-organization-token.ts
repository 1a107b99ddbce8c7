import { type Actor, checkOutlived, type Instant, identityOf, type OrganizationTokenKind } from '../../domain/index.js';
import { checkLifetime } from '../../domain/shared/token-lifetimes.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import type { IssuedToken, TokenIssuer } from './token-issuer.js';

/**
 * POST /organizations/:name/authentication-token: replaces the existing token of its kind. Only this response contains
 * the secret.
 */
export class IssueOrganizationToken {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'tokens' | 'audit'>,
    private readonly issuer: TokenIssuer,
  ) {}

  execute(
    actor: Actor,
    command: {
      readonly organizationName: string;
      readonly kind: OrganizationTokenKind;
      readonly expiresAt: Instant | null;
    },
  ): Promise<IssuedToken> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.organizations.findFor(actor, command.organizationName);
      const { subject: organization, done } = changing(actor, seen, 'organization-tokens/manage');
      const { id } = organization;
      const { kind, expiresAt } = command;
      const owner = { kind, id };
      const issued = this.issuer.issue({ owner, createdBy: identityOf(actor), description: null, expiresAt });
      checkLifetime(issued.token, [organization]);
      checkOutlived(actor, expiresAt);
      await tx.tokens.replace({ ...issued.token, owner });
      await tx.audit.add(done(issued.token.id), { organizationId: id });
      return issued;
    });
  }
}
