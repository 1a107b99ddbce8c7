import { expect, it } from '@jest/globals';
import type { Lockable } from '../../src/application/index.js';
import { aMembership, aProject, noon } from '../support/builders.js';
import { anAgentPool } from '../support/policy-builders.js';
import { onEveryBackend } from './on-every-backend.js';

onEveryBackend('rowLocks', (on) => {
  const share = (what: Lockable) => on.run((tx) => tx.rowLocks.share(what));
  const take = (what: Lockable) => on.run((tx) => tx.rowLocks.take(what));
  const both = async (what: Lockable) => [await share(what), await take(what)];

  it('are had of what is there, and of nothing that is not or is removed', async () => {
    const organization = await on.organization();
    const [user, team, membership] = [await on.user(), await on.team(organization), aMembership];
    const member = await on.user();
    const joined = membership(organization, member);
    const pool = anAgentPool(organization);
    const project = aProject(organization);
    await on.run(async (tx) => {
      await tx.projects.add(project);
      await tx.memberships.add(joined);
      await tx.agentPools.add(pool);
    });
    const removals: readonly (readonly [Lockable, () => Promise<void>])[] = [
      [{ kind: 'agent-pool', id: pool.id }, () => on.run((tx) => tx.agentPools.remove(pool.id))],
      [{ kind: 'project', id: project.id }, () => on.run((tx) => tx.projects.remove(project.id))],
      [{ kind: 'membership', id: joined.id }, () => on.run((tx) => tx.memberships.remove(joined))],
      [{ kind: 'user', id: user.id }, () => on.run((tx) => tx.users.remove(user.id, noon))],
      [{ kind: 'team', id: team.id }, () => on.run((tx) => tx.teams.remove(team.id, noon))],
      [
        { kind: 'organization', id: organization.id },
        () => on.run((tx) => tx.organizations.remove(organization.id, noon)),
      ],
    ];
    for (const [what, remove] of removals) {
      expect(await both(what)).toEqual([true, true]);
      expect(await both({ ...what, id: 'nobody' })).toEqual([false, false]);
      await remove();
      expect(await both(what)).toEqual([false, false]);
    }
  });
});
