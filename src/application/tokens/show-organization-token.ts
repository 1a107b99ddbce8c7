import {
  type Actor,
  type ApiToken,
  notFound,
  type OrganizationId,
  type OrganizationTokenKind,
} from '../../domain/index.js';
import { type Change, changing } from '../../domain/supporting/audit/change.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';

interface Found extends Pick<Change<unknown>, 'done'> {
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
  const seen = await tx.organizations.findFor(actor, name);
  const { subject, done } = changing(actor, seen, 'organization-tokens/manage');
  const { id } = subject;
  const token = await tx.tokens.findOf({ kind, id });
  if (token === undefined) throw notFound();
  return { token, organizationId: id, done };
}

/** GET /organizations/:name/authentication-token: metadata only. */
export class ShowOrganizationToken {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'tokens'>) {}

  async execute(actor: Actor, organizationName: string, kind: OrganizationTokenKind): Promise<ApiToken> {
    return (await this.unitOfWork.read((tx) => findOrganizationToken(tx, actor, organizationName, kind))).token;
  }
}
