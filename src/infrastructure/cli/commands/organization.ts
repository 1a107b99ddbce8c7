import type { OrganizationGroups } from '../../../application/index.js';
import type { Organization } from '../../../domain/index.js';
import { type Command, UsageError } from '../toolkit/command.js';
import { all, atWork, findOrFail, userNamed, type Workplace } from '../toolkit/operator.js';
import { card, counted, listing } from '../toolkit/output.js';

const presented = ({ name, email, createdAt, id }: Organization) => ({
  name,
  email,
  'external-id': id,
  'created-at': createdAt,
});

const none = { number: 1, size: 1 };

async function whole(place: Workplace, name: string) {
  const { subject } = await findOrFail(
    `organization ${name}`,
    place.use.showOrganization.execute(place.operator, name),
  );
  const teams = await all((page) => place.use.listTeams.execute(place.operator, name, page));
  const owners = teams.find((team) => team.subject.owners);
  const { members } = owners ? await place.use.showTeam.execute(place.operator, owners.subject.id) : { members: [] };
  const memberships = await place.use.listOrganizationMemberships.execute(place.operator, name, none);
  const workspaces = await place.use.listWorkspaces.execute(place.operator, name, none);
  return {
    ...presented(subject),
    owners: members.map(({ username, email }) => username ?? email),
    members: memberships.total,
    teams: teams.length,
    workspaces: workspaces.total,
  };
}

const list: Command = {
  name: 'organization list',
  does: 'lists all organizations, by name',
  run: async (call) =>
    atWork(call, async (place) => {
      const found = await all((page) => place.use.listOrganizations.execute(place.operator, page));
      const organizations = found.map(({ subject }) => subject);
      const rows = organizations.map(({ name, email, createdAt, id }) => [name, email, createdAt, id]);
      return {
        json: organizations.map(presented),
        text: listing(['name', 'email', 'since', 'id'], rows, 'organization'),
      };
    }),
};

const show: Command = {
  name: 'organization show',
  does: 'shows an organization, its owners and the number of its resources',
  args: ['NAME'],
  run: async (call) =>
    atWork(call, async (place) => {
      const organization = await whole(place, call.arg(0));
      return { json: organization, text: card({ ...organization, owners: organization.owners.join(', ') }) };
    }),
};

const create: Command = {
  name: 'organization create',
  does: 'creates an organization with a user as its owner',
  args: ['NAME'],
  options: {
    email: { value: 'ADDRESS', about: 'required; e-mail address of the organization' },
    owner: { value: 'USER', about: 'required; name of the user who becomes its owner' },
  },
  run: async (call) => {
    const command = { name: call.arg(0), email: call.required('email') };
    const owner = call.required('owner');
    return atWork(call, async (place) => {
      const user = await userNamed(place, owner);
      // The operator grants the right to create it; the user becomes its owner.
      const actor = { ...place.inPlaceOf(user), siteAdministrator: true };
      const { subject: organization } = await place.use.createOrganization.execute(actor, command);
      return { json: presented(organization), text: card({ ...presented(organization), owner: user.username }) };
    });
  },
};

const remove: Command = {
  name: 'organization delete',
  does: 'permanently deletes an organization and everything in it',
  about: 'A running service or gatehouse gc then deletes its rows and archives.',
  args: ['NAME'],
  options: { yes: { about: 'required to confirm the deletion' } },
  run: async (call) =>
    atWork(call, async (place) => {
      const name = call.arg(0);
      const { workspaces } = await whole(place, name);
      if (!call.switch('yes')) {
        throw new UsageError(
          `this permanently deletes ${name} and its ${counted(workspaces, 'workspace')}; add --yes to confirm`,
        );
      }
      await place.use.removeOrganization.execute(place.operator, name);
      return {
        json: { name, deleted: true, workspaces },
        text: `${name} and its ${counted(workspaces, 'workspace')} were deleted`,
      };
    }),
};

const groups: Command = {
  name: 'organization groups',
  does: 'lists, gives or takes away the groups at the identity provider that an organization may map to teams',
  about:
    'A group is a value of the claim OIDC_GROUPS_CLAIM, or a prefix of values followed by *. The first organization of a service is given every group, *. Taking a group away ends the team memberships that only this group gives, immediately.',
  args: ['NAME'],
  options: {
    give: { value: 'GROUP', about: 'a group to give' },
    take: { value: 'GROUP', about: 'a group to take away' },
    yes: { about: 'required to end memberships' },
  },
  run: async (call) =>
    atWork(call, async (place) => {
      const name = call.arg(0);
      const { organization, groups: given } = await findOrFail(
        `organization ${name}`,
        place.use.showOrganizationGroups.execute(place.operator, name),
      );
      const [give, take] = [call.option('give'), call.option('take')];
      if (give === undefined && take === undefined)
        return groupsOf({ organization, groups: given, endedMemberships: 0 });
      const taken = given.find(({ pattern }) => pattern === take);
      if (take !== undefined && taken === undefined) throw new UsageError(`${name} was not given the group ${take}`);
      if (taken !== undefined && taken.memberships > 0 && !call.switch('yes')) {
        throw new UsageError(
          `${counted(taken.memberships, 'team membership')} will end; add --yes to take the group ${taken.pattern} away`,
        );
      }
      const kept = given.map(({ pattern }) => pattern).filter((pattern) => pattern !== take);
      const wanted = give === undefined ? kept : [...kept, give];
      return groupsOf(await place.use.giveOrganizationGroups.execute(place.operator, name, wanted));
    }),
};

function groupsOf({ organization, groups: given, endedMemberships }: OrganizationGroups) {
  const rows = given.map(({ pattern, memberships }) => [pattern, String(memberships)]);
  const ended = endedMemberships === 0 ? '' : `\n${counted(endedMemberships, 'team membership')} ended`;
  return {
    json: {
      name: organization.name,
      'sso-groups': given.map(({ pattern }) => pattern),
      'sso-group-memberships': given.map(({ pattern, memberships }) => ({ group: pattern, memberships })),
      'ended-memberships': endedMemberships,
    },
    text: `${listing(['group', 'memberships'], rows, 'group')}${ended}`,
  };
}

export const organizationCommands: readonly Command[] = [list, show, create, groups, remove];
