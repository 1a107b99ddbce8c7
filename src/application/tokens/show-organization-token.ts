import {
  type Actor,
  type ApiToken,
  authorized,
  notFound,
  type OrganizationId,
  type OrganizationTokenKind,
} from '../../domain/index.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';

interface Found {
  readonly token: ApiToken;
  readonly organizationId: OrganizationId;
}

/** The organization's token of this kind. Throws `resource/not-found`, also if there is none. */
export async function findOrganizationToken(
  tx: Transaction<'organizations' | 'tokens'>,
  actor: Actor,
  name: string,
  kind: OrganizationTokenKind,
): Promise<Found> {
  const { id } = authorized(await tx.organizations.findFor(actor, name), 'organization-tokens/manage');
  const token = await tx.tokens.findOf({ kind, id });
  if (token === undefined) throw notFound();
  return { token, organizationId: id };
}

/** GET /organizations/:name/authentication-token: metadata only. */
export class ShowOrganizationToken {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'tokens'>) {}

  async execute(actor: Actor, organizationName: string, kind: OrganizationTokenKind): Promise<ApiToken> {
    return (await this.unitOfWork.read((tx) => findOrganizationToken(tx, actor, organizationName, kind))).token;
  }
}
