import { createHash } from 'node:crypto';
import type { UnitOfWork } from '../../src/application/index.js';
import type { Organization, Standing, Team, TeamInQuestion, User } from '../../src/domain/index.js';
import {
  aBundle,
  aConfigurationVersion,
  aCustomGrant,
  aMembership,
  anOrganization,
  aTeam,
  aToken,
  aUser,
  aWorkspace,
  giveGrant,
  ownedBy,
  someIngressAttributes,
} from './builders.js';

export const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

const secret = 'secret-of-the-caller';
const expiredSecret = 'secret-that-has-expired';
const secrets = { digest: digestOf(secret), expiredDigest: digestOf(expiredSecret) };

/** An organization as small as can be in which there is one of everything, and a caller of the kind that is asked for. */
export interface SmallWorld {
  readonly secret: string;
  readonly expiredSecret: string;
  /** Path parameters of what exists, as `pathAbout` wants them. */
  readonly existing: Readonly<Record<string, string>>;
  /** A member of the organization, and someone who is not. */
  readonly other: User;
  readonly otherMembership: string;
  readonly newcomer: User;
  /** A visible team without rights, without members. */
  readonly freeTeam: Team;
}

const inQuestion = (question: TeamInQuestion | undefined): Partial<Team> =>
  question === undefined
    ? { visibility: 'organization' }
    : {
        visibility: question.secret ? 'secret' : 'organization',
        membersManageToken: question.membersManageToken,
        access: question.access,
      };

/**
 * Makes the caller that `standing` describes, and everything else. The things that paths name are somebody else's,
 * unless the standing is one towards the caller's own.
 */
export async function makeSmallWorld(unitOfWork: UnitOfWork, standing: Standing): Promise<SmallWorld> {
  const organization: Organization = anOrganization({ name: 'acme' });
  const caller = aUser({ username: 'caller', siteAdministrator: standing.siteAdministrator });
  const [boss, other, newcomer] = [
    aUser({ username: 'boss' }),
    aUser({ username: 'other' }),
    aUser({ username: 'newcomer' }),
  ];
  const [standingInOwn] = standing.teams;
  const aboutOwn = standing.team !== undefined && standing.team.teamId === standingInOwn?.teamId;
  const aboutOwners = standing.team?.owners === true;

  const owners = aTeam(organization, {
    name: 'owners',
    owners: true,
    ...(aboutOwners ? inQuestion(standing.team) : {}),
  });
  const own =
    standingInOwn === undefined
      ? undefined
      : standingInOwn.owners
        ? owners
        : aTeam(organization, {
            name: 'own',
            access: standingInOwn.access,
            ...(aboutOwn ? inQuestion(standing.team) : {}),
          });
  const somebodys = aTeam(organization, { name: 'somebodys', ...inQuestion(aboutOwn ? undefined : standing.team) });
  const target = aboutOwners ? owners : ((aboutOwn ? own : undefined) ?? somebodys);
  const freeTeam = aTeam(organization, { name: 'free', visibility: 'organization' });
  const teams = [owners, somebodys, freeTeam, ...(own === undefined || own.owners ? [] : [own])];

  const workspace = aWorkspace(organization, { name: 'api' });
  const version = aConfigurationVersion(workspace, { status: 'uploaded', bundle: aBundle() });
  const ofOther = aToken(ownedBy('user', other));
  const ofCaller = {
    user: ownedBy('user', caller),
    team: ownedBy('team', own ?? somebodys),
    organization: ownedBy('organization', organization),
  }[standing.actor];
  const callersToken = aToken(ofCaller, { secretDigest: secrets.digest });
  const otherMembership = aMembership(organization, other);
  let targetsRow = '';

  await unitOfWork.run(async (tx) => {
    await tx.organizations.add(organization);
    for (const user of [caller, boss, other, newcomer]) await tx.users.add(user);
    await tx.memberships.add(aMembership(organization, boss));
    await tx.memberships.add(otherMembership);
    if (standing.actor === 'user' && standing.member) await tx.memberships.add(aMembership(organization, caller));
    for (const team of teams) await tx.teams.add(team);
    await tx.teams.addMembers(owners, [boss.id]);
    await tx.teams.addMembers(somebodys, [other.id]);
    if (standing.actor === 'user' && own !== undefined) await tx.teams.addMembers(own, [caller.id]);

    await tx.workspaces.add(workspace);
    if (own !== undefined && standingInOwn?.grant) await giveGrant(tx, own.id, workspace.id, standingInOwn.grant);
    if (target !== own) await giveGrant(tx, target.id, workspace.id, { access: 'read' });
    else if (!standingInOwn?.grant) await giveGrant(tx, target.id, workspace.id, aCustomGrant());
    const rows = await tx.teamAccess.page(
      { workspaceId: workspace.id, teamId: target.id, visibility: 'all' },
      undefined,
    );
    targetsRow = rows.items[0]?.id ?? '';

    await tx.configurationVersions.add(version);
    await tx.configurationVersions.addIngressAttributes(version.state.id, someIngressAttributes());

    await tx.tokens.add(callersToken);
    await tx.tokens.add(ofOther);
    await tx.tokens.add(
      aToken(ownedBy('user', boss), { secretDigest: secrets.expiredDigest, expiresAt: '2029-12-31T00:00:00.000Z' }),
    );
    if (standing.actor !== 'organization') await tx.tokens.add(aToken(ownedBy('organization', organization)));
    for (const team of teams) {
      if (standing.actor !== 'team' || team !== own) await tx.tokens.add(aToken(ownedBy('team', team)));
    }
  });

  const itself = standing.own === true;
  return {
    secret,
    expiredSecret,
    other,
    otherMembership: otherMembership.id,
    newcomer,
    freeTeam,
    existing: {
      organization: organization.name,
      name: workspace.name,
      workspaceId: workspace.id,
      userId: itself ? caller.id : other.id,
      teamId: target.id,
      '/team-workspaces': targetsRow,
      '/workspaces': workspace.id,
      '/teams': target.id,
      '/configuration-versions': version.state.id,
      '/organization-memberships': otherMembership.id,
      '/authentication-tokens': itself ? callersToken.id : ofOther.id,
      '/admin/users': other.id,
    },
  };
}
