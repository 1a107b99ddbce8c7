import { describe, expect, it } from '@jest/globals';
import { openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import { FixedClock } from '../../src/adapters/system/fixed-clock.js';
import { type AuditQuery, ListSiteAuditEvents, maxLookedAt } from '../../src/application/index.js';
import {
  type AuditAction,
  type AuditEvent,
  later,
  type NewAuditEvent,
  type OrganizationId,
} from '../../src/domain/index.js';
import { backends } from '../support/backends.js';
import { asUser, aUser, ownedBy, unique } from '../support/builders.js';
import { freshSchema, skipPostgres } from '../support/databases.js';
import { aManagedPolicy, anAgentPool, aPolicySet } from '../support/policy-builders.js';
import { onEveryBackend, onFreshGround } from './on-every-backend.js';

const anEvent = (given: Partial<NewAuditEvent> = {}): NewAuditEvent => ({
  actor: { kind: 'user', id: 'user-1', tokenId: 'at-1' },
  action: 'teams/update',
  subject: unique('team'),
  outcome: 'done',
  count: 1,
  detail: null,
  request: { id: unique('request'), address: '192.0.2.1', route: 'PATCH /teams/:id' },
  ...given,
});

const all = (of: AuditQuery['of'], given: Partial<AuditQuery> = {}): AuditQuery => ({
  of,
  actorId: undefined,
  action: undefined,
  since: undefined,
  until: undefined,
  oldestFirst: true,
  ...given,
});

onEveryBackend('the audit trail', (on) => {
  const slice = (query: AuditQuery, after?: string, limit = 100) =>
    on.read((tx) => tx.audit.slice(query, after, limit));
  const itemsOf = async (query: AuditQuery) => (await slice(query)).items;
  const addTo = async (organizationId: OrganizationId, ...events: readonly NewAuditEvent[]) => {
    for (const event of events) await on.run((tx) => tx.audit.add(event, { organizationId }));
  };

  it('keeps all of an event, and when it was', async () => {
    const { id: organizationId } = await on.organization();
    const begun = new Date().toISOString();
    const bare = anEvent({
      actor: { kind: 'system', id: null, tokenId: null },
      subject: null,
      outcome: 'runs/in-progress',
      count: 7,
      request: null,
    });
    const given = [
      anEvent({ detail: { 'team-tokens': [{ id: 'at-1', 'team-id': 'team-1' }] } }),
      bare,
      anEvent({ request: { id: 'r', address: null, route: 'POST /runs' } }),
    ];
    await addTo(organizationId, ...given);
    const kept = await itemsOf(all({ organizationId }));
    const byCount = (a: NewAuditEvent, b: NewAuditEvent) => String(a.request?.id).localeCompare(String(b.request?.id));
    const read = kept.toSorted(byCount);
    for (const [index, event] of given.toSorted(byCount).entries()) expect(read[index]).toMatchObject(event);
    for (const event of kept) {
      expect(event.organizationId).toBe(organizationId);
      expect(event.at >= begun && event.at <= new Date().toISOString()).toBe(true);
      expect(event.id).toMatch(/^ae-\d{17}-[0-9a-f]{16}$/);
    }
  });

  it('is turned over by numbers, newest first, as far as pages with numbers reach', async () => {
    const { id: organizationId } = await on.organization();
    const { id: elsewhere } = await on.organization();
    const page = (number: number, size: number, since?: string) =>
      on.read((tx) => tx.audit.page(organizationId, since, { number, size }));
    expect(await page(1, 2)).toEqual({ number: 1, size: 2, total: 0, items: [] });
    await addTo(organizationId, anEvent(), anEvent(), anEvent());
    await addTo(elsewhere, anEvent());
    const newest = (await itemsOf(all({ organizationId }, { oldestFirst: false }))).map(({ id }) => id);
    const ids = async (number: number) => (await page(number, 2)).items.map(({ id }) => id);
    expect([await ids(1), await ids(2), await ids(3)]).toEqual([newest.slice(0, 2), newest.slice(2), []]);
    expect((await page(2, 2)).total).toBe(3);
    const [last] = (await page(1, 1)).items;
    expect((await page(1, 9, last?.at)).items.at(0)).toEqual(last);
    expect((await page(1, 9, later(last?.at ?? '', 1))).total).toBe(0);
  });

  it('keeps an event if and only if its transaction is kept', async () => {
    const { id: organizationId } = await on.organization();
    const lost = on.run(async (tx) => {
      await tx.audit.add(anEvent(), { organizationId });
      throw new Error('no');
    });
    await expect(lost).rejects.toThrow('no');
    expect(await itemsOf(all({ organizationId }))).toEqual([]);
  });

  it('finds the organization of a workspace', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    await on.run((tx) => tx.audit.add(anEvent(), { workspaceId: workspace.id }));
    expect(await itemsOf(all({ organizationId: organization.id }))).toHaveLength(1);
  });

  it('keeps the trails of organizations and of the site apart', async () => {
    const [one, other] = [await on.organization(), await on.organization()];
    const [a, b, c] = [anEvent(), anEvent(), anEvent()];
    await addTo(one.id, a);
    await addTo(other.id, b);
    await on.run((tx) => tx.audit.add(c, 'site'));
    const subjects = async (of: AuditQuery['of']) => (await itemsOf(all(of))).map(({ subject }) => subject);
    expect(await subjects({ organizationId: one.id })).toEqual([a.subject]);
    expect(await subjects({ organizationId: other.id })).toEqual([b.subject]);
    expect(await subjects('site')).toEqual([c.subject]);
  });

  it('is read from place to place, in both directions', async () => {
    const { id: organizationId } = await on.organization();
    await addTo(organizationId, ...Array.from({ length: 7 }, () => anEvent()));
    const forward = await itemsOf(all({ organizationId }));
    expect(forward.map(({ id }) => id)).toEqual(forward.map(({ id }) => id).sort());
    for (const oldestFirst of [true, false]) {
      const read: AuditEvent[] = [];
      let last: string | undefined;
      do {
        const part = await slice(all({ organizationId }, { oldestFirst }), last, 3);
        expect(part.items.length).toBeLessThanOrEqual(3);
        read.push(...part.items);
        last = part.last;
      } while (last !== undefined);
      expect(read).toEqual(oldestFirst ? forward : forward.toReversed());
    }
    const exact = await slice(all({ organizationId }), undefined, 7);
    expect([exact.items.length, exact.last]).toEqual([7, undefined]);
  });

  it('is filtered by actor, action and time', async () => {
    const { id: organizationId } = await on.organization();
    const [mine, yours] = [
      anEvent(),
      anEvent({ actor: { kind: 'team', id: 'team-2', tokenId: null }, action: 'runs/apply' }),
    ];
    await addTo(organizationId, mine, yours);
    const subjects = async (given: Partial<AuditQuery>) =>
      (await itemsOf(all({ organizationId }, given))).map(({ subject }) => subject).sort();
    expect(await subjects({ actorId: 'user-1' })).toEqual([mine.subject]);
    expect(await subjects({ action: 'runs/apply' })).toEqual([yours.subject]);
    expect(await subjects({ actorId: 'user-1', action: 'runs/apply' })).toEqual([]);
    const [first] = await itemsOf(all({ organizationId }));
    const at = first?.at ?? '';
    expect(await subjects({ since: at })).toEqual([mine.subject, yours.subject].sort());
    expect(await subjects({ until: at })).toEqual([]);
    expect(await subjects({ since: later(at, 60) })).toEqual([]);
    expect(await subjects({ until: later(at, 60) })).toEqual([mine.subject, yours.subject].sort());
  });

  it('is filtered by workspace, outcome and routine, alone and together', async () => {
    const organization = await on.organization();
    const { id: organizationId } = organization;
    const [workspace, other] = [await on.workspace(organization), await on.workspace(organization)];
    const agent = { kind: 'agent', id: 'apool-1', tokenId: 'at-2' } as const;
    const [changed, refused, routine, failed, elsewhere] = [
      anEvent(),
      anEvent({ subject: workspace.id, outcome: 'runs/in-progress' }),
      anEvent({ actor: agent }),
      anEvent({ actor: agent, subject: `${workspace.id}/var-1`, outcome: 'lease/lost' }),
      anEvent(),
    ];
    for (const event of [changed, routine]) {
      await on.run((tx) => tx.audit.add(event, { organizationId, workspaceId: workspace.id }));
    }
    await addTo(organizationId, refused, failed);
    await on.run((tx) => tx.audit.add(elsewhere, { workspaceId: other.id }));
    const subjects = async (given: Partial<AuditQuery>) =>
      (await itemsOf(all({ organizationId }, given))).map(({ subject }) => subject).sort();
    const are = (...events: readonly NewAuditEvent[]) => events.map(({ subject }) => subject).sort();
    expect(await subjects({ workspaceId: workspace.id })).toEqual(are(changed, refused, routine, failed));
    expect(await subjects({ outcome: 'refused' })).toEqual(are(refused, failed));
    expect(await subjects({ outcome: 'lease/lost' })).toEqual(are(failed));
    expect(await subjects({ outcome: 'done' })).toEqual(are(changed, routine, elsewhere));
    expect(await subjects({ withoutRoutine: true })).toEqual(are(changed, refused, failed, elsewhere));
    expect(await subjects({ workspaceId: workspace.id, outcome: 'done', withoutRoutine: true })).toEqual(are(changed));
    expect(await subjects({ actorId: 'apool-1', withoutRoutine: true })).toEqual(are(failed));
  });

  it('has the names of its actor, subject and workspace as they were', async () => {
    const organization = await on.organization();
    const { id: organizationId } = organization;
    const [team, workspace] = [await on.team(organization), await on.workspace(organization)];
    const actor = { kind: 'team', id: team.id, tokenId: null } as const;
    await on.run((tx) => tx.audit.add(anEvent({ actor, subject: workspace.id }), { workspaceId: workspace.id }));
    await on.run(async (tx) => {
      await tx.teams.save({ ...team, name: unique('renamed'), revision: team.revision + 1 });
      await tx.audit.add(anEvent({ actor, subject: team.id, subjectName: team.name }), { organizationId });
    });
    const [first, second] = await itemsOf(all({ organizationId }));
    expect(first).toMatchObject({
      workspaceId: workspace.id,
      names: { actor: team.name, subject: workspace.name, workspace: workspace.name },
    });
    expect(second).toMatchObject({ workspaceId: null, names: { subject: team.name, workspace: null } });
    expect(second?.names.actor).not.toBe(team.name);
  });

  it('does not name the teams of other organizations', async () => {
    const [organization, elsewhere] = [await on.organization(), await on.organization()];
    const [team, workspace] = [await on.team(elsewhere), await on.workspace(organization)];
    const actor = { kind: 'team', id: team.id, tokenId: null } as const;
    const event = anEvent({ actor, subject: workspace.id, outcome: 'resource/not-found' });
    await addTo(organization.id, event);
    await on.run((tx) => tx.audit.add(event, { workspaceId: workspace.id }));
    for (const { names } of await itemsOf(all({ organizationId: organization.id }))) {
      expect(names).toEqual({ actor: null, subject: workspace.name, workspace: workspace.name });
    }
  });

  it('names nothing in the trail of the site but people', async () => {
    const organization = await on.organization();
    const [team, user] = [await on.team(organization), await on.user()];
    const actor = { kind: 'user', id: user.id, tokenId: null } as const;
    await on.run((tx) => tx.audit.add(anEvent({ actor, subject: team.id }), 'site'));
    const found = (await itemsOf(all('site'))).find(({ subject }) => subject === team.id);
    expect(found?.names).toEqual({ actor: user.username, subject: null, workspace: null });
  });

  it('keeps the username of a deleted user, unless it is erased', async () => {
    const { id: organizationId } = await on.organization();
    const [kept, erased] = [await on.user(), await on.user()];
    for (const { id } of [kept, erased]) {
      await addTo(organizationId, anEvent({ actor: { kind: 'user', id, tokenId: null }, subject: id }));
    }
    const names = async () => (await itemsOf(all({ organizationId }))).map((event) => event.names);
    const named = (name: string | null) => ({ actor: name, subject: name, workspace: null });
    const found = (username: string) => on.read((tx) => tx.audit.personNamed(username));
    expect(await names()).toEqual([named(kept.username), named(erased.username)]);
    expect(await found(kept.username?.toUpperCase() ?? '')).toBe(kept.id);
    await on.run(async (tx) => {
      for (const { id } of [kept, erased]) await tx.users.remove(id, '2030-01-01T00:00:00.000Z');
      await tx.audit.eraseName(erased.id);
    });
    const afterwards = [named(kept.username), named('deleted user')];
    expect(await names()).toEqual(afterwards);
    for (const { id } of [kept, erased]) {
      const target = { kind: 'user', id } as const;
      while (!(await on.run((tx) => tx.removals.removeBatch(target, 100))).finished);
    }
    expect(await names()).toEqual(afterwards);
    expect(await found(kept.username ?? '')).toBe(kept.id);
    expect(await found(erased.username ?? '')).toBeUndefined();
    expect(await found('deleted user')).toBeUndefined();
  });

  it('looks at a bounded number of events for a filter, and says where to go on', async () => {
    const { id: organizationId } = await on.organization();
    await on.run(async (tx) => {
      for (let number = 0; number <= maxLookedAt; number += 1) await tx.audit.add(anEvent(), { organizationId });
    });
    const rare: AuditAction = 'teams/delete';
    await addTo(organizationId, anEvent({ action: rare }));
    const first = await slice(all({ organizationId }, { action: rare }));
    expect(first.items).toEqual([]);
    expect(first.last).toBeDefined();
    const second = await slice(all({ organizationId }, { action: rare }), first.last);
    expect([second.items.length, second.last]).toEqual([1, undefined]);
  });

  it('of an organization outlives it, and is then another’s to read', async () => {
    const organization = await on.organization();
    await addTo(organization.id, anEvent());
    expect(await itemsOf(all({ removed: organization.id }))).toEqual([]);
    await on.run((tx) => tx.organizations.remove(organization.id, '2030-01-01T00:00:00.000Z'));
    expect(await itemsOf(all({ removed: organization.id }))).toHaveLength(1);
    await on.run((tx) => tx.removals.removeBatch({ kind: 'organization', id: organization.id }, 10));
    expect(await itemsOf(all({ removed: organization.id }))).toHaveLength(1);
  });

  it('knows whose the things are that paths name', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const team = await on.team(organization);
    const membership = await on.membership(organization, await on.user());
    const version = await on.version(workspace);
    const token = await on.token(ownedBy('team', team));
    await on.grant(team, workspace, { access: 'read' });
    const rows = await on.read((tx) =>
      tx.teamAccess.page({ workspaceId: workspace.id, teamId: undefined, visibility: 'all' }, { number: 1, size: 1 }),
    );
    const [pool, policySet] = [anAgentPool(organization), aPolicySet(organization)];
    const policy = aManagedPolicy(organization);
    await on.run(async (tx) => {
      await tx.agentPools.add(pool);
      await tx.policySets.add(policySet);
      await tx.policies.add(policy);
    });
    const things = [
      ['organizations', organization.name],
      ['workspaces', workspace.id],
      ['teams', team.id],
      ['team-workspaces', rows.items[0]?.teamWorkspace.id ?? ''],
      ['organization-memberships', membership.id],
      ['authentication-tokens', token.id],
      ['configuration-versions', version.state.id],
      ['policy-sets', policySet.id],
      ['policies', policy.id],
      ['agent-pools', pool.id],
    ] as const;
    for (const [kind, id] of things) {
      const found = await on.read((tx) => tx.audit.organizationOf({ kind, id }));
      expect([kind, found]).toEqual([kind, organization.id]);
      expect(await on.read((tx) => tx.audit.organizationOf({ kind, id: 'nothing' }))).toBeUndefined();
    }
    for (const kind of ['runs', 'task-stages'] as const) {
      expect(await on.read((tx) => tx.audit.organizationOf({ kind, id: 'nothing' }))).toBeUndefined();
    }
    const ofUser = await on.token(ownedBy('user', await on.user()));
    expect(
      await on.read((tx) => tx.audit.organizationOf({ kind: 'authentication-tokens', id: ofUser.id })),
    ).toBeUndefined();
  });
});

(skipPostgres ? describe.skip : describe)('the audit trail, while transactions overlap on Postgres', () => {
  it('is read to its end and on from there without missing what is committed late', async () => {
    const { url, drop } = await freshSchema();
    const clock = new FixedClock();
    const database = openPostgres(url, { now: () => clock.now() });
    try {
      await database.migrate();
      const { unitOfWork } = database;
      const trail = new ListSiteAuditEvents(unitOfWork);
      const read: (string | null)[] = [];
      let after: string | undefined;
      const readOn = async () => {
        const { of: _, ...filter } = all('site');
        const { items } = await trail.execute(asUser(aUser({ siteAdministrator: true })), undefined, filter, {
          after,
          limit: 10,
        });
        read.push(...items.map(({ subject }) => subject));
        after = items.at(-1)?.id ?? after;
      };
      const added = Promise.withResolvers<void>();
      const mayCommit = Promise.withResolvers<void>();
      const late = unitOfWork.run(async (tx) => {
        await tx.audit.add(anEvent({ subject: 'begun first' }), 'site');
        added.resolve();
        await mayCommit.promise;
      });
      await added.promise;
      clock.advance(1);
      await unitOfWork.run((tx) => tx.audit.add(anEvent({ subject: 'committed first' }), 'site'));
      clock.advance(40);
      await readOn();
      mayCommit.resolve();
      await late;
      clock.advance(60);
      await readOn();
      expect(read).toEqual(['begun first', 'committed first']);
    } finally {
      await database.close();
      await drop();
    }
  });
});

for (const backend of backends) {
  (backend.skip ? describe.skip : describe)(`what the audit trail forgets, on ${backend.name}`, () => {
    it('is what came before, in batches, and nothing else', () =>
      onFreshGround(backend, async (on) => {
        await on.run(async (tx) => {
          for (let number = 0; number < 5; number += 1) await tx.audit.add(anEvent(), 'site');
        });
        const [first] = (await on.read((tx) => tx.audit.slice(all('site'), undefined, 1))).items;
        const at = first?.at ?? '';
        expect(await on.run((tx) => tx.audit.forget(at, 10))).toBe(0);
        const tomorrow = later(at, 86_400);
        expect(await on.run((tx) => tx.audit.forget(tomorrow, 3))).toBe(3);
        expect(await on.run((tx) => tx.audit.forget(tomorrow, 3))).toBe(2);
        expect((await on.read((tx) => tx.audit.slice(all('site'), undefined, 10))).items).toEqual([]);
      }));

    it('is the username of a deleted user with the last events before', () =>
      onFreshGround(backend, async (on) => {
        const users = [await on.user(), await on.user()];
        const deletions = ['2030-01-01T00:00:00.000Z', '2030-01-02T00:00:00.000Z'];
        await on.run(async (tx) => {
          for (const [at, { id }] of users.entries()) await tx.users.remove(id, deletions[at] as string);
        });
        const named = () =>
          on.read((tx) => Promise.all(users.map(({ username }) => tx.audit.personNamed(username ?? ''))));
        for (const { id } of users) {
          while (!(await on.run((tx) => tx.removals.removeBatch({ kind: 'user', id }, 100))).finished);
        }
        expect(await named()).toEqual(users.map(({ id }) => id));
        await on.run((tx) => tx.audit.forget(deletions[1] as string, 100));
        expect(await named()).toEqual([undefined, users[1]?.id]);
      }));
  });
}
