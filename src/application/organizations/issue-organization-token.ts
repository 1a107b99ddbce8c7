import { type Actor, authorized, doneBy, type Instant, identityOf } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import type { IssuedToken, TokenIssuer } from '../users/token-issuer.js';

/** POST /organizations/:name/authentication-token: replaces the one there is. The secret is shown here only. */
export class IssueOrganizationToken {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly issuer: TokenIssuer,
  ) {}

  execute(
    actor: Actor,
    command: { readonly organizationName: string; readonly expiresAt: Instant | null },
  ): Promise<IssuedToken> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.organizations.findFor(actor, command.organizationName);
      const { id } = authorized(seen, 'organization-tokens/manage');
      const owner = { kind: 'organization', id } as const;
      const { expiresAt } = command;
      const issued = this.issuer.issue({ owner, createdBy: identityOf(actor), description: null, expiresAt });
      await tx.tokens.replace(issued.token);
      await tx.audit.add(doneBy(actor, 'organization-tokens/manage', issued.token.id), { organizationId: id });
      return issued;
    });
  }
}
