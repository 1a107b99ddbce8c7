import { z } from 'zod';
import type { IssuedToken } from '../../../application/index.js';
import { type ApiToken, type Instant, isDomainError, type OrganizationTokenKind } from '../../../domain/index.js';
import { type Call, type Command, UsageError } from '../toolkit/command.js';
import { all, atWork, findOrFail, userNamed, type Workplace } from '../toolkit/operator.js';
import { card, listing } from '../toolkit/output.js';

const dateTime = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

function expiryIn(call: Call): Instant | null {
  const given = call.option('expires');
  if (given === undefined) return null;
  const expiry = dateTime.safeParse(given);
  if (!expiry.success) throw new UsageError('--expires must be an ISO 8601 date-time, such as 2030-01-31T09:00:00Z');
  return expiry.data;
}

async function teamNamed(place: Workplace, path: string) {
  // A team name may contain slashes; an organization name cannot.
  const [, organizationName = '', name] = /^([^/]*)\/(.+)$/.exec(path) ?? [];
  if (name === undefined) throw new UsageError('--team must be ORGANIZATION/TEAM');
  const teams = await findOrFail(
    `organization ${organizationName}`,
    all((page) => place.use.listTeams.execute(place.operator, organizationName, page)),
  );
  return findOrFail(`team ${path}`, Promise.resolve(teams.find(({ subject }) => subject.name === name)?.subject));
}

const presented = (token: ApiToken) => ({
  id: token.id,
  description: token.description,
  'created-at': token.createdAt,
  'last-used-at': token.lastUsedAt,
  'expired-at': token.expiresAt,
});

type Kind = 'user' | 'team' | 'organization' | 'audit-trails';

const issueOf =
  (kind: OrganizationTokenKind) =>
  (place: Workplace, organizationName: string, expiresAt: Instant | null): Promise<IssuedToken> =>
    findOrFail(
      `organization ${organizationName}`,
      place.use.issueOrganizationToken.execute(place.operator, { organizationName, kind, expiresAt }),
    );

const issuing: Readonly<
  Record<Kind, (place: Workplace, name: string, expiresAt: Instant | null, call: Call) => Promise<IssuedToken>>
> = {
  user: async (place, name, expiresAt, call) => {
    const user = await userNamed(place, name);
    const description = call.option('description') ?? 'issued on the command line';
    return place.use.issueUserToken.execute(place.inPlaceOf(user), { userId: user.id, description, expiresAt });
  },
  team: async (place, path, expiresAt) => {
    const { id: teamId } = await teamNamed(place, path);
    return place.use.issueTeamToken.execute(place.operator, { teamId, expiresAt });
  },
  organization: issueOf('organization'),
  'audit-trails': issueOf('auditor'),
};

const owners = {
  user: { value: 'NAME', about: 'issue an additional token to a user' },
  team: { value: 'ORGANIZATION/TEAM', about: 'issue the team token (replaces the existing one)' },
  organization: { value: 'NAME', about: 'issue the organization token (replaces the existing one)' },
  'audit-trails': { value: 'NAME', about: 'issue the audit token of an organization (replaces the existing one)' },
} as const;

const issue: Command = {
  name: 'token issue',
  does: 'issues a user, team, organization or audit token and prints its secret',
  about: 'The secret is printed only once, on standard output. The database stores only a digest of it.',
  options: {
    ...owners,
    expires: { value: 'DATE-TIME', about: 'expiry, such as 2030-01-31T09:00:00Z (default: never)' },
    description: { value: 'TEXT', about: 'description of the token; user tokens only' },
  },
  run: async (call) => {
    const { name: kind, value } = call.oneOf('user', 'team', 'organization', 'audit-trails');
    if (kind !== 'user' && call.option('description') !== undefined) {
      throw new UsageError('--description is for user tokens only');
    }
    const expiresAt = expiryIn(call);
    return atWork(call, async (place) => {
      const { token, secret } = await issuing[kind](place, value, expiresAt, call);
      const shown = { [kind]: value, ...presented(token) };
      return {
        json: { ...shown, token: secret },
        text: `${card(shown)}\n\nThe token is shown only once:\n\n  TOKEN=${secret}\n`,
      };
    });
  },
};

const ofOrganization = async (place: Workplace, organizationName: string) => {
  const sort = { key: 'team-name', descending: false } as const;
  const teams = await findOrFail(
    `organization ${organizationName}`,
    all((page) => place.use.listTeams.execute(place.operator, organizationName, page)),
  );
  const names = new Map<string, string>(teams.map(({ subject }) => [subject.id, subject.name]));
  const ofTeams = await all((page) =>
    place.use.listTeamTokens.execute(place.operator, { organizationName, page, search: undefined, sort }),
  );
  const show = (kind: OrganizationTokenKind) =>
    place.use.showOrganizationToken.execute(place.operator, organizationName, kind).catch(noneIfMissing);
  const [own, auditor] = [await show('organization'), await show('auditor')];
  return [
    ...(own === undefined ? [] : [{ of: organizationName, token: own }]),
    ...(auditor === undefined ? [] : [{ of: `${organizationName} (audit-trails)`, token: auditor }]),
    ...ofTeams.map((token) => ({ of: `${organizationName}/${names.get(token.owner.id) ?? token.owner.id}`, token })),
  ];
};

const ofUser = async (place: Workplace, name: string) => {
  const user = await userNamed(place, name);
  const tokens = await all((page) => place.use.listUserTokens.execute(place.inPlaceOf(user), user.id, page));
  return tokens.map((token) => ({ of: user.username, token }));
};

function noneIfMissing(error: unknown): undefined {
  if (!isDomainError(error) || error.code !== 'resource/not-found') throw error;
}

const list: Command = {
  name: 'token list',
  does: 'lists the tokens of a user, or of an organization and its teams',
  options: {
    user: { value: 'NAME', about: 'tokens of a user' },
    organization: {
      value: 'NAME',
      about: 'the organization token, the audit token and the team tokens of an organization',
    },
  },
  run: async (call) => {
    const { name: kind, value } = call.oneOf('user', 'organization');
    return atWork(call, async (place) => {
      const tokens = await (kind === 'user' ? ofUser : ofOrganization)(place, value);
      const rows = tokens.map(({ of, token }) => [
        token.id,
        of,
        token.description,
        token.createdAt,
        token.lastUsedAt,
        token.expiresAt,
      ]);
      return {
        json: tokens.map(({ of, token }) => ({ of, ...presented(token) })),
        text: listing(['id', 'of', 'description', 'since', 'last used', 'until'], rows, 'token'),
      };
    });
  },
};

const done = () => true;

const revokeOf = (kind: OrganizationTokenKind, called: string) => async (place: Workplace, name: string) => {
  await findOrFail(
    `organization ${name} with ${called}`,
    place.use.revokeOrganizationToken.execute(place.operator, name, kind).then(done),
  );
};

const revoking: Readonly<Record<'id' | Exclude<Kind, 'user'>, (place: Workplace, name: string) => Promise<void>>> = {
  team: async (place, path) => {
    const { id } = await teamNamed(place, path);
    await findOrFail(`token of team ${path}`, place.use.revokeTeamToken.execute(place.operator, id).then(done));
  },
  organization: revokeOf('organization', 'a token'),
  'audit-trails': revokeOf('auditor', 'an audit token'),
  id: async (place, id) => {
    const owner = (await place.unitOfWork.read((tx) => tx.tokens.find(id)))?.owner;
    if (owner?.kind === 'organization') {
      throw new UsageError('this is an organization token: revoke it with --organization NAME');
    }
    if (owner?.kind === 'auditor') {
      throw new UsageError('this is an audit token: revoke it with --audit-trails NAME');
    }
    const user = owner?.kind === 'user' ? await place.unitOfWork.read((tx) => tx.users.find(owner.id)) : undefined;
    const actor = user === undefined ? place.operator : place.inPlaceOf(user);
    await findOrFail(`token ${id}`, place.use.revokeToken.execute(actor, id).then(done));
  },
};

const revoke: Command = {
  name: 'token revoke',
  does: 'revokes a token, effective with the next request',
  options: {
    id: { value: 'ID', about: 'id of a user or team token, as shown by gatehouse token list' },
    team: { value: 'ORGANIZATION/TEAM', about: 'the team token of a team' },
    organization: { value: 'NAME', about: 'the organization token of an organization' },
    'audit-trails': { value: 'NAME', about: 'the audit token of an organization' },
  },
  run: async (call) => {
    const { name: kind, value } = call.oneOf('id', 'team', 'organization', 'audit-trails');
    return atWork(call, async (place) => {
      await revoking[kind](place, value);
      const which = kind === 'id' ? value : `the token of ${value}`;
      return { json: { [kind]: value, revoked: true }, text: `${which} was revoked` };
    });
  },
};

export const tokenCommands: readonly Command[] = [issue, list, revoke];
