import { type Actor, notFound, type OrganizationTokenKind } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { findOrganizationToken } from './show-organization-token.js';

/** DELETE /organizations/:name/authentication-token. */
export class RevokeOrganizationToken {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'tokens' | 'audit'>) {}

  execute(actor: Actor, organizationName: string, kind: OrganizationTokenKind): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { token, organizationId, done } = await findOrganizationToken(tx, actor, organizationName, kind);
      if (!(await tx.tokens.remove(token.id))) throw notFound();
      await tx.audit.add(done(token.id), { organizationId });
    });
  }
}
