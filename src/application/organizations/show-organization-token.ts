import { type Actor, type ApiToken, authorized, notFound } from '../../domain/index.js';
import type { Transaction, UnitOfWork } from '../ports/unit-of-work.js';

/** The organization's token. Throws `resource/not-found`, also when there is none. */
export async function findOrganizationToken(tx: Transaction, actor: Actor, name: string): Promise<ApiToken> {
  const { id } = authorized(await tx.organizations.findFor(actor, name), 'organization-tokens/manage');
  const token = await tx.tokens.findOf({ kind: 'organization', id });
  if (token === undefined) throw notFound();
  return token;
}

/** GET /organizations/:name/authentication-token: metadata only. */
export class ShowOrganizationToken {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  execute(actor: Actor, organizationName: string): Promise<ApiToken> {
    return this.unitOfWork.read((tx) => findOrganizationToken(tx, actor, organizationName));
  }
}
