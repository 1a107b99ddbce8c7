import { createHash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { PolicyQuery, Transaction } from '../../src/application/index.js';
import { sealPrefix } from '../../src/application/ports/outside/secret-box.js';
import {
  enforcementLevels,
  type ManagedPolicy,
  type Organization,
  type OutcomeFilter,
  outcomeStatuses,
  type PolicyEvaluation,
  type PolicyOutcome,
  type PolicySet,
  type PolicySetOutcome,
  type Run,
  type RunState,
  type TagBindingOwner,
  type TaskStage,
  type Workspace,
} from '../../src/domain/index.js';
import { asApplied } from '../../src/domain/supporting/policies/policy-set.js';
import {
  afterNoon,
  aProject,
  aRepository,
  aRun,
  asOrganization,
  asTeam,
  asUser,
  aTagBinding,
  noon,
} from '../support/builders.js';
import {
  aManagedPolicy,
  anAppliedPolicy,
  anEvaluation,
  aPolicy,
  aPolicyOutcome,
  aPolicySet,
  aPolicySetOutcome,
  aTaskStage,
} from '../support/policy-builders.js';
import { fc, runs } from '../support/properties.js';
import { onEveryBackend, refusal, taken } from './on-every-backend.js';

const stale = refusal('shared/stale-revision');
const everything = { number: 1, size: 100 };

const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);
const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

const ownerOf = ({ id }: Workspace): TagBindingOwner => ({ kind: 'workspace', id });

onEveryBackend('policy sets', (on) => {
  const add = async (organization: Organization, given: Partial<PolicySet> = {}) => {
    const policySet = aPolicySet(organization, given);
    await on.run((tx) => tx.policySets.add(policySet));
    return policySet;
  };

  const save = (policySet: PolicySet, change: Partial<PolicySet>) => {
    const next = { ...policySet, ...change, revision: policySet.revision + 1 };
    return on.run((tx) => tx.policySets.save(next)).then(() => next);
  };

  const found = async (organization: Organization, id: string) =>
    (await on.read((tx) => tx.policySets.findFor(asOrganization(organization), id)))?.subject;

  const page = (organization: Organization, request = everything) =>
    on.read((tx) => tx.policySets.page(organization.id, request));

  const applying = async ({ id }: Workspace) =>
    (await on.read((tx) => tx.policySets.applyingTo(id))).map(({ name }) => name);

  it('come back as they were added, with the standing of the caller', async () => {
    const organization = await on.organization();
    const team = await on.team(organization, { access: new Set(['manage-workspaces']) });
    const workspaces = [await on.workspace(organization), await on.workspace(organization)];
    const full = await add(organization, {
      description: 'Everything',
      kind: 'sentinel',
      global: true,
      overridable: true,
      policies: [aPolicy(), aPolicy({ query: null, enforcementLevel: 'advisory', description: 'naïve "quotes"' })],
      workspaceIds: idsOf(workspaces).reverse(),
      createdAt: afterNoon(1),
      updatedAt: afterNoon(2),
      revision: 3,
    });
    const bare = await add(organization);
    expect(await on.read((tx) => tx.policySets.findFor(asTeam(team), full.id))).toEqual({
      subject: { ...full, workspaceIds: idsOf(workspaces.toSorted(byId)) },
      standing: {
        actor: 'team',
        siteAdministrator: false,
        member: true,
        teams: [{ teamId: team.id, owners: false, access: team.access }],
      },
    });
    const stranger = await on.read((tx) =>
      tx.policySets.findFor(asOrganization({ ...organization, id: 'x' }), bare.id),
    );
    expect(stranger).toMatchObject({ subject: bare, standing: { member: false } });
    expect(await found(organization, 'polset-nobody')).toBeUndefined();
  });

  it('keep their settings and exactly the workspaces they are saved with', async () => {
    const organization = await on.organization();
    const [a, b, c] = [
      await on.workspace(organization),
      await on.workspace(organization),
      await on.workspace(organization),
    ];
    const added = await add(organization, { workspaceIds: [a.id, b.id] });
    const change = {
      name: `${added.name}-renamed`,
      description: 'Changed',
      kind: 'sentinel',
      global: true,
      overridable: true,
      policies: [aPolicy()],
      workspaceIds: [b.id, c.id].sort(),
      updatedAt: afterNoon(1),
    } as const;
    const changed = await save(added, change);
    expect(await found(organization, added.id)).toEqual(changed);
    const emptied = await save(changed, { workspaceIds: [], global: false, policies: [] });
    expect(await found(organization, added.id)).toEqual(emptied);
    expect(await applying(a)).toEqual([]);
    const again = await save(emptied, { workspaceIds: [a.id] });
    expect(await found(organization, added.id)).toEqual(again);
  });

  it('refuse to be saved on what moved on, and change nothing then', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const added = await add(organization, { workspaceIds: [workspace.id] });
    const first = await save(added, { description: 'First' });
    await expect(save(added, { description: 'Second', workspaceIds: [] })).rejects.toEqual(stale);
    await expect(save(aPolicySet(organization), {})).rejects.toEqual(stale);
    expect(await found(organization, added.id)).toEqual(first);
  });

  it('have names of their own in their organization', async () => {
    const organization = await on.organization();
    await add(organization, { name: 'baseline' });
    const other = await add(organization, { name: 'extras' });
    await expect(add(organization, { name: 'baseline' })).rejects.toEqual(taken('name'));
    await expect(save(other, { name: 'baseline' })).rejects.toEqual(taken('name'));
    await add(await on.organization(), { name: 'baseline' });
    await save(other, { name: 'Baseline' });
    await add(organization, { name: 'extras' });
  });

  it('are listed by name, whatever its case, and by id', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const c = await add(organization, { name: 'C', workspaceIds: [workspace.id] });
    const b = await add(organization, { name: 'b', global: true });
    const upper = await add(organization, { name: 'B' });
    const a = await add(organization, { name: 'a' });
    await add(await on.organization());
    const expected = [a, ...[b, upper].toSorted(byId), c];
    expect(await page(organization)).toEqual({ ...everything, total: 4, items: expected });
    const second = await page(organization, { number: 2, size: 3 });
    expect(second).toEqual({ number: 2, size: 3, total: 4, items: [c] });
    expect(await page(organization, { number: 3, size: 3 })).toMatchObject({ total: 4, items: [] });
  });

  it('apply to workspaces they are attached to and, when global, to all of the organization', async () => {
    const organization = await on.organization();
    const [workspace, neighbour] = [await on.workspace(organization), await on.workspace(organization)];
    const elsewhere = await on.organization();
    const foreign = await on.workspace(elsewhere);
    await add(organization, { name: 'Zeta', workspaceIds: [workspace.id] });
    await add(organization, { name: 'beta', global: true });
    const both = await add(organization, {
      name: 'Alpha',
      global: true,
      policies: [aPolicy()],
      workspaceIds: [workspace.id, neighbour.id].sort(),
    });
    await add(organization, { name: 'nowhere' });
    await add(elsewhere, { name: 'foreign', global: true });
    expect(await applying(workspace)).toEqual(['Alpha', 'beta', 'Zeta']);
    expect(await applying(neighbour)).toEqual(['Alpha', 'beta']);
    expect(await applying(foreign)).toEqual(['foreign']);
    const [first] = await on.read((tx) => tx.policySets.applyingTo(workspace.id));
    expect(first && asApplied(first)).toEqual(asApplied({ ...both, attached: [] }));
    expect(await on.read((tx) => tx.policySets.applyingTo('ws-nobody'))).toEqual([]);
  });

  it('never apply to workspaces that they exclude, global or attached', async () => {
    const organization = await on.organization();
    const [workspace, neighbour] = [await on.workspace(organization), await on.workspace(organization)];
    const excludedWorkspaceIds = [workspace.id];
    const set = await add(organization, { name: 'global', global: true, excludedWorkspaceIds });
    const workspaceIds = [workspace.id, neighbour.id].sort();
    await add(organization, { name: 'attached', workspaceIds, excludedWorkspaceIds });
    expect(await found(organization, set.id)).toEqual(set);
    expect(await applying(workspace)).toEqual([]);
    expect(await applying(neighbour)).toEqual(['attached', 'global']);
    await save(set, { excludedWorkspaceIds: [neighbour.id] });
    expect(await applying(workspace)).toEqual(['global']);
    expect(await applying(neighbour)).toEqual(['attached']);
  });

  it('apply to the workspaces of their projects, unless these or their projects are excluded', async () => {
    const organization = await on.organization();
    const [project, other] = [aProject(organization), aProject(organization)];
    await on.run(async (tx) => {
      for (const one of [project, other]) await tx.projects.add(one);
    });
    const workspace = await on.workspace(organization, { projectId: project.id });
    const neighbour = await on.workspace(organization, { projectId: project.id });
    const elsewhere = await on.workspace(organization, { projectId: other.id });
    const projectIds = [project.id];
    const set = await add(organization, { name: 'of project', projectIds });
    await add(organization, { name: 'both ways', projectIds, workspaceIds: [workspace.id], global: true });
    await add(organization, { name: 'not here', projectIds, excludedWorkspaceIds: [workspace.id] });
    await add(organization, { name: 'spared', global: true, excludedProjectIds: projectIds });
    const excludedProjectIds = [other.id, project.id].sort();
    await add(organization, { name: 'nowhere', projectIds, workspaceIds: [workspace.id], excludedProjectIds });
    expect(await found(organization, set.id)).toEqual(set);
    expect(await applying(workspace)).toEqual(['both ways', 'of project']);
    expect(await applying(neighbour)).toEqual(['both ways', 'not here', 'of project']);
    expect(await applying(elsewhere)).toEqual(['both ways', 'spared']);

    await on.run((tx) => tx.workspaces.moveTo(other.id, [workspace.id], noon));
    expect(await applying(workspace)).toEqual(['both ways', 'spared']);
    const changed = await save(set, { projectIds: [other.id], excludedProjectIds: [project.id] });
    expect(await applying(workspace)).toEqual(['both ways', 'of project', 'spared']);
    expect(await applying(neighbour)).toEqual(['both ways', 'not here']);

    await on.run(async (tx) => {
      await tx.workspaces.moveTo(other.id, [neighbour.id], noon);
      await tx.projects.remove(project.id);
    });
    expect(await found(organization, set.id)).toEqual({ ...changed, excludedProjectIds: [] });
    // A set saved with a project that was removed meanwhile is saved without it.
    const without = await save(changed, { projectIds: [project.id], excludedProjectIds: [project.id] });
    expect(await found(organization, set.id)).toEqual({ ...without, projectIds: [], excludedProjectIds: [] });
  });

  it('apply to the workspaces with a tag, own or inherited, and never to those with an excluded one', async () => {
    const organization = await on.organization();
    const project = aProject(organization);
    await on.run((tx) => tx.projects.add(project));
    const own = await on.workspace(organization, { projectId: project.id });
    const inheriting = await on.workspace(organization, { projectId: project.id });
    const elsewhere = await on.workspace(await on.organization());
    const bind = (workspace: Workspace, key: string, value: string, owner = ownerOf(workspace)) =>
      on.run((tx) => tx.tagBindings.bind(owner, [aTagBinding(workspace, { owner, key, value })]));
    await bind(own, 'stage', 'prod', { kind: 'project', id: project.id });
    await bind(own, 'stage', 'test');
    await bind(own, 'team', '');
    await bind(elsewhere, 'stage', 'test');
    const select = (key: string, value: string, excludes = false) => ({ key, value, excludes });
    const set = await add(organization, {
      name: 'of prod',
      tagSelectors: [select('stage', 'prod'), select('zone', '1')],
    });
    await add(organization, { name: 'of test', tagSelectors: [select('stage', 'test')] });
    await add(organization, { name: 'of team', tagSelectors: [select('team', '')] });
    await add(organization, { name: 'of teams', tagSelectors: [select('team', 'a'), select('stage', '')] });
    await add(organization, { name: 'spared', global: true, tagSelectors: [select('stage', 'prod', true)] });
    await add(organization, { name: 'nowhere', workspaceIds: [own.id], tagSelectors: [select('team', '', true)] });
    expect(await found(organization, set.id)).toEqual(set);
    expect(await applying(own)).toEqual(['of team', 'of test', 'spared']);
    expect(await applying(inheriting)).toEqual(['of prod']);
    expect(await applying(elsewhere)).toEqual([]);

    const changed = await save(set, { tagSelectors: [select('stage', 'test'), select('team', '', true)] });
    expect(await found(organization, set.id)).toEqual(changed);
    expect(await applying(own)).toEqual(['of team', 'of test', 'spared']);
    expect(await applying(inheriting)).toEqual([]);
    await on.run((tx) => tx.policySets.remove(set.id));
    expect(await found(organization, set.id)).toBeUndefined();
  });

  it('lose a workspace that is removed, and apply to it no more', async () => {
    const organization = await on.organization();
    const [gone, kept] = [await on.workspace(organization), await on.workspace(organization)];
    const attached = await add(organization, { workspaceIds: [gone.id, kept.id].sort(), global: true });
    await on.run((tx) => tx.workspaces.remove(gone.id, noon));
    expect((await found(organization, attached.id))?.workspaceIds).toEqual([kept.id]);
    expect((await page(organization)).items.map(({ workspaceIds }) => workspaceIds)).toEqual([[kept.id]]);
    expect(await applying(gone)).toEqual([]);
    expect(await applying(kept)).toEqual([attached.name]);
  });

  it('are found by the webhook of their repository, as long as they are linked and there', async () => {
    const organization = await on.organization();
    const repository = aRepository({ branch: null, credential: null });
    const linked = await add(organization, { repository, policiesPath: 'a' });
    await add(organization, { repository: aRepository() });
    await add(organization);
    const find = (id: string) => on.read((tx) => tx.policySets.findByWebhook(id));
    expect(await find(repository.webhookId)).toEqual(linked);
    expect(await on.read((tx) => tx.policySets.find(linked.id))).toEqual(linked);
    expect(await find('webhook-nobody')).toBeUndefined();
    expect(await on.read((tx) => tx.policySets.find('polset-nobody'))).toBeUndefined();

    const relinked = await save(linked, { repository: aRepository() });
    expect(await find(repository.webhookId)).toBeUndefined();
    expect(await find(relinked.repository?.webhookId ?? '')).toEqual(relinked);
    const unlinked = await save(relinked, { repository: null, policiesPath: null });
    expect(await find(relinked.repository?.webhookId ?? '')).toBeUndefined();
    expect(await on.read((tx) => tx.policySets.find(linked.id))).toEqual(unlinked);

    const orphan = await add(organization, { repository: aRepository() });
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await find(orphan.repository?.webhookId ?? '')).toBeUndefined();
    expect(await on.read((tx) => tx.policySets.find(orphan.id))).toBeUndefined();
  });

  it('have webhook keys that are sealed otherwise, by id, unless they are not linked', async () => {
    const organization = await on.organization();
    const sealedBy = (fingerprint: string) => aRepository({ sealedWebhookKey: `${sealPrefix(fingerprint)}key` });
    const [first, second] = [
      await add(organization, { repository: sealedBy('old') }),
      await add(organization, { repository: sealedBy('old') }),
    ].sort(byId);
    await add(organization, { repository: sealedBy('new') });
    await add(organization);
    const sealedWithOtherKeys = (after: string, limit = 100) =>
      on.read((tx) => tx.policySets.sealedWithOtherKeys('new', after, limit));
    const ours = (sets: readonly PolicySet[]) =>
      sets.filter(({ organizationId }) => organizationId === organization.id);
    expect(ours(await sealedWithOtherKeys(''))).toEqual([first, second]);
    expect(ours(await sealedWithOtherKeys(first?.id ?? ''))).toEqual([second]);
    expect((await sealedWithOtherKeys(first?.id ?? '', 1)).length).toBe(1);
  });

  it('are gone when they are removed, and hidden with their organization', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const [removed, hidden] = [
      await add(organization, { workspaceIds: [workspace.id] }),
      await add(organization, { workspaceIds: [workspace.id] }),
    ];
    await on.run((tx) => tx.policySets.remove(removed.id));
    expect(await found(organization, removed.id)).toBeUndefined();
    expect(await applying(workspace)).toEqual([hidden.name]);
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await found(organization, hidden.id)).toBeUndefined();
    expect(await page(organization)).toMatchObject({ total: 0, items: [] });
    expect(await applying(workspace)).toEqual([]);
  });
});

onEveryBackend('policies', (on) => {
  const add = async (organization: Organization, given: Partial<ManagedPolicy> = {}) => {
    const policy = aManagedPolicy(organization, given);
    await on.run((tx) => tx.policies.add(policy));
    return policy;
  };

  const save = (policy: ManagedPolicy, change: Partial<ManagedPolicy>) => {
    const next = { ...policy, ...change, revision: policy.revision + 1 };
    return on.run((tx) => tx.policies.save(next)).then(() => next);
  };

  const addSet = async (organization: Organization, given: Partial<PolicySet> = {}) => {
    const policySet = aPolicySet(organization, given);
    await on.run((tx) => tx.policySets.add(policySet));
    return policySet;
  };

  const found = async (organization: Organization, id: string) =>
    (await on.read((tx) => tx.policies.findFor(asOrganization(organization), id)))?.subject;

  const foundSet = async (organization: Organization, id: string) =>
    (await on.read((tx) => tx.policySets.findFor(asOrganization(organization), id)))?.subject;

  const page = (organization: Organization, given: Partial<PolicyQuery> = {}, request = everything) =>
    on.read((tx) =>
      tx.policies.page({ organizationId: organization.id, kind: undefined, search: undefined, ...given }, request),
    );

  it('come back as they were added, with the standing of the caller and the sets they are in', async () => {
    const organization = await on.organization();
    const team = await on.team(organization, { access: new Set(['manage-policies']) });
    const full = await add(organization, {
      description: 'naïve "quotes"',
      kind: 'sentinel',
      query: null,
      enforcementLevel: 'advisory',
      code: 'a'.repeat(64),
      createdAt: afterNoon(1),
      updatedAt: afterNoon(2),
      revision: 3,
    });
    const bare = await add(organization);
    const sets = [
      await addSet(organization, { policyIds: [full.id] }),
      await addSet(organization, { policyIds: [full.id] }),
      await addSet(organization),
    ];
    expect(await on.read((tx) => tx.policies.findFor(asTeam(team), full.id))).toEqual({
      subject: { ...full, policySetIds: idsOf(sets.slice(0, 2)).sort() },
      standing: {
        actor: 'team',
        siteAdministrator: false,
        member: true,
        teams: [{ teamId: team.id, owners: false, access: team.access }],
      },
    });
    expect(await found(organization, bare.id)).toEqual(bare);
    expect(await found(organization, 'pol-nobody')).toBeUndefined();
  });

  it('keep what may change, unless they moved on', async () => {
    const organization = await on.organization();
    const added = await add(organization);
    const change = {
      description: 'Changed',
      query: 'data.other.deny',
      enforcementLevel: 'advisory',
      code: 'b'.repeat(64),
      updatedAt: afterNoon(1),
    } as const;
    const changed = await save(added, change);
    expect(await found(organization, added.id)).toEqual(changed);
    await expect(save(added, { description: 'Second' })).rejects.toEqual(stale);
    await expect(save(aManagedPolicy(organization), {})).rejects.toEqual(stale);
    expect(await found(organization, added.id)).toEqual(changed);
  });

  it('have names of their own in their organization', async () => {
    const organization = await on.organization();
    await add(organization, { name: 'tags' });
    await expect(add(organization, { name: 'tags' })).rejects.toEqual(taken('name'));
    await add(await on.organization(), { name: 'tags' });
    await add(organization, { name: 'Tags' });
  });

  it('are listed by name, of one kind and with a part of the name too, and counted', async () => {
    const organization = await on.organization();
    const c = await add(organization, { name: 'C_1' });
    const b = await add(organization, { name: 'b-1', kind: 'sentinel' });
    const upper = await add(organization, { name: 'B-1' });
    const a = await add(organization, { name: 'a-2' });
    await add(await on.organization());
    const both = [b, upper].toSorted(byId);
    expect(await page(organization)).toEqual({ ...everything, total: 4, items: [a, ...both, c] });
    const second = { number: 2, size: 3 };
    expect(await page(organization, {}, second)).toEqual({ ...second, total: 4, items: [c] });
    expect(await page(organization, { kind: 'sentinel' })).toEqual({ ...everything, total: 1, items: [b] });
    expect(await page(organization, { kind: 'opa' })).toMatchObject({ total: 3, items: [a, upper, c] });
    expect(await page(organization, { search: 'b' })).toMatchObject({ total: 2, items: both });
    expect(await page(organization, { search: 'B-1', kind: 'opa' })).toMatchObject({ total: 1, items: [upper] });
    expect(await page(organization, { search: '1' }, second)).toMatchObject({ total: 3, items: [] });
    expect(await page(organization, { search: '_' })).toMatchObject({ total: 1, items: [c] });
    expect(await page(organization, { search: '%' })).toMatchObject({ total: 0, items: [] });
    await on.run((tx) => tx.policies.remove(upper.id));
    expect(await page(organization, { kind: 'opa' })).toMatchObject({ total: 2, items: [a, c] });
    expect(await page(organization)).toMatchObject({ total: 3 });
  });

  it('are found by their ids in their organization alone, by name', async () => {
    const organization = await on.organization();
    const [b, a] = [await add(organization, { name: 'b' }), await add(organization, { name: 'A' })];
    const foreign = await add(await on.organization());
    const all = (...ids: string[]) => on.read((tx) => tx.policies.allOf(organization.id, ids));
    expect(await all(b.id, foreign.id, a.id, 'pol-nobody', a.id)).toEqual([a, b]);
    expect(await all()).toEqual([]);
  });

  it('hang on sets as these are saved, and are missing from them once they are removed', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const [b, a, c] = [
      await add(organization, { name: 'b', code: 'c'.repeat(64) }),
      await add(organization, { name: 'A' }),
      await add(organization, { name: 'c' }),
    ];
    const set = await addSet(organization, { name: 'one', workspaceIds: [workspace.id], policyIds: [b.id] });
    const other = await addSet(organization, { name: 'two', global: true, policyIds: [b.id, c.id].sort() });
    const none = await addSet(organization, { name: 'three', global: true });
    await addSet(organization, { name: 'elsewhere', policyIds: [a.id] });
    expect(await foundSet(organization, set.id)).toEqual(set);
    const saved = { ...set, policyIds: [a.id, b.id].sort(), revision: 1 };
    await on.run((tx) => tx.policySets.save(saved));
    expect(await foundSet(organization, set.id)).toEqual(saved);
    expect((await on.read((tx) => tx.policySets.page(organization.id, everything))).items).toContainEqual(saved);

    const applying = async () => {
      const sets = await on.read((tx) => tx.policySets.applyingTo(workspace.id));
      return sets.map(({ name, attached }) => [name, attached.map((policy) => [policy.name, policy.code])]);
    };
    const codeOfB = ['b', 'c'.repeat(64)];
    expect(await applying()).toEqual([
      ['one', [['A', null], codeOfB]],
      ['three', []],
      ['two', [codeOfB, ['c', null]]],
    ]);
    await on.run((tx) => tx.policies.remove(b.id));
    expect(await found(organization, b.id)).toBeUndefined();
    expect(await foundSet(organization, set.id)).toEqual({ ...saved, policyIds: [a.id] });
    expect(await applying()).toEqual([
      ['one', [['A', null]]],
      ['three', []],
      ['two', [['c', null]]],
    ]);
    // A set saved with a policy that was removed meanwhile is saved without it.
    await on.run((tx) => tx.policySets.save({ ...saved, revision: 2 }));
    expect(await foundSet(organization, set.id)).toEqual({ ...saved, policyIds: [a.id], revision: 2 });
    await on.run((tx) => tx.policySets.remove(other.id));
    expect((await found(organization, c.id))?.policySetIds).toEqual([]);
    expect(await foundSet(organization, none.id)).toEqual(none);
  });

  it('have code that is kept by what it says, organization by organization', async () => {
    const [organization, other] = [await on.organization(), await on.organization()];
    const code = '\uFEFFpackage naïve # 🐘\r\n';
    const sha256 = createHash('sha256').update(code).digest('hex');
    const keep = (text: string) => on.run((tx) => tx.policies.keepCode(organization.id, text));
    const find = ({ id }: Organization, of: string) => on.read((tx) => tx.policies.findCode(id, of));
    expect(await find(organization, sha256)).toBeUndefined();
    expect([await keep(code), await keep(code)]).toEqual([sha256, sha256]);
    expect(await find(organization, sha256)).toBe(code);
    expect(await find(other, sha256)).toBeUndefined();
    const long = 'x'.repeat(1024 * 1024);
    expect(await find(organization, await keep(long))).toBe(long);
    expect(await find(organization, sha256)).toBe(code);
  });

  it('are hidden with their organization', async () => {
    const organization = await on.organization();
    const policy = await add(organization);
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await found(organization, policy.id)).toBeUndefined();
    expect(await page(organization)).toMatchObject({ total: 0, items: [] });
    expect(await on.read((tx) => tx.policies.allOf(organization.id, [policy.id]))).toEqual([]);
  });
});

onEveryBackend('task stages', (on) => {
  async function aPlace() {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    return { organization, workspace };
  }

  const addRun = async (workspace: Workspace, given: Partial<RunState> = {}): Promise<Run> => {
    const version = await on.version(workspace, { status: 'uploaded' });
    return on.run(async (tx) => {
      const sequence = (await tx.runs.takeSequence(workspace.id)).sequence;
      const run = aRun(workspace, version.state, { sequence, ...given });
      await tx.runs.add(run);
      return run;
    });
  };

  const add = async (run: Run, given: Partial<TaskStage> = {}): Promise<TaskStage> => {
    const stage = aTaskStage(run, given);
    await on.run((tx) => tx.taskStages.add(stage));
    return stage;
  };

  const report = async (...outcomes: PolicySetOutcome[]) => {
    await on.run((tx) => tx.taskStages.addOutcomes(outcomes));
    return outcomes;
  };

  const evaluationOf = ({ evaluations: [evaluation] }: TaskStage): PolicyEvaluation => {
    if (evaluation === undefined) throw new Error('the stage has no evaluation');
    return evaluation;
  };

  const twoKinds = [
    anEvaluation({ kind: 'opa', overridable: false, policySets: [] }),
    anEvaluation({
      kind: 'sentinel',
      status: 'failed',
      policyToolVersion: '0.26.0',
      policySets: [
        {
          id: 'polset-1',
          name: 'set',
          description: null,
          overridable: true,
          policyToolVersion: '0.26.0',
          archive: null,
          policies: [anAppliedPolicy()],
        },
      ],
      resultCount: { advisoryFailed: 1, mandatoryFailed: 2, passed: 3, errored: 4 },
      statusTimestamps: { 'running-at': afterNoon(1) },
      createdAt: afterNoon(2),
      updatedAt: afterNoon(3),
    }),
  ];
  const freshKinds = () => twoKinds.map((evaluation) => ({ ...evaluation, id: anEvaluation().id }));

  it('come back as they were added, their evaluations by kind', async () => {
    const { organization, workspace } = await aPlace();
    const evaluations = freshKinds();
    const stage = await add(await addRun(workspace), {
      status: 'awaiting_override',
      evaluations: evaluations.toReversed(),
      statusTimestamps: { 'awaiting-override-at': afterNoon(4) },
      createdAt: afterNoon(1),
      updatedAt: afterNoon(2),
      revision: 7,
    });
    const expected = { ...stage, evaluations };
    const caller = asOrganization(organization);
    expect((await on.read((tx) => tx.taskStages.findFor(caller, stage.id)))?.subject).toEqual(expected);
    expect(await on.read((tx) => tx.taskStages.ofRun(stage.runId))).toEqual([expected]);
    for (const evaluation of evaluations) {
      const seen = await on.read((tx) => tx.taskStages.findEvaluationFor(caller, evaluation.id));
      const { policySets: _, ...located } = evaluation;
      expect(seen?.subject).toEqual({ ...located, taskStageId: stage.id });
    }
    const bare = await add(await addRun(workspace), { evaluations: [] });
    expect((await on.read((tx) => tx.taskStages.findFor(caller, bare.id)))?.subject).toEqual(bare);
    expect(await on.read((tx) => tx.taskStages.ofRun(bare.runId))).toEqual([bare]);
    expect(await on.read((tx) => tx.taskStages.findFor(caller, 'ts-nobody'))).toBeUndefined();
    expect(await on.read((tx) => tx.taskStages.findEvaluationFor(caller, 'poleval-nobody'))).toBeUndefined();
    expect(await on.read((tx) => tx.taskStages.findOutcomeFor(caller, 'psout-nobody'))).toBeUndefined();
  });

  it('are known by their ids for several runs at once', async () => {
    const { workspace } = await aPlace();
    const [a, b, without] = [await addRun(workspace), await addRun(workspace), await addRun(workspace)];
    const [ofA, ofB] = [await add(a, { evaluations: freshKinds() }), await add(b)];
    const ids = [a, b, without].map(({ state }) => state.id);
    const found = await on.read((tx) => tx.taskStages.idsOfRuns([...ids, 'run-nobody']));
    expect(new Map(found)).toEqual(
      new Map([
        [a.state.id, [ofA.id]],
        [b.state.id, [ofB.id]],
      ]),
    );
    expect((await on.read((tx) => tx.taskStages.idsOfRuns([]))).size).toBe(0);
    const stages = await on.read((tx) => tx.taskStages.ofRuns([...ids, 'run-nobody']));
    const summaries = [ofA, ofB].map((stage) => ({
      ...stage,
      evaluations: stage.evaluations.map(({ id }) => ({ id })),
    }));
    expect(new Set(stages)).toEqual(new Set(summaries));
    expect(await on.read((tx) => tx.taskStages.ofRuns([]))).toEqual([]);
    expect(await on.read((tx) => tx.taskStages.ofRun(without.state.id))).toEqual([]);
  });

  it('keep their changes and those of their evaluations, and refuse stale ones', async () => {
    const { workspace } = await aPlace();
    const added = await add(await addRun(workspace), { evaluations: freshKinds() });
    const next: TaskStage = {
      ...added,
      status: 'running',
      statusTimestamps: { 'running-at': afterNoon(1) },
      updatedAt: afterNoon(2),
      revision: 1,
      evaluations: added.evaluations.map((evaluation) => ({
        ...evaluation,
        status: 'errored',
        policyToolVersion: '1.0.0',
        resultCount: { advisoryFailed: 5, mandatoryFailed: 6, passed: 7, errored: 8 },
        overridable: !evaluation.overridable,
        statusTimestamps: { 'errored-at': afterNoon(3) },
        updatedAt: afterNoon(4),
      })),
    };
    await on.run((tx) => tx.taskStages.save(next));
    const stored = async () => (await on.read((tx) => tx.taskStages.ofRun(added.runId)))[0];
    expect(await stored()).toEqual(next);
    const late = { ...added, revision: 1, status: 'failed' } as const;
    await expect(on.run((tx) => tx.taskStages.save(late))).rejects.toEqual(stale);
    await expect(on.run((tx) => tx.taskStages.save({ ...late, id: 'ts-nobody' }))).rejects.toEqual(stale);
    expect(await stored()).toEqual(next);
  });

  it('are seen with the standing on their workspace, and so is what hangs on them', async () => {
    const { organization, workspace } = await aPlace();
    const stage = await add(await addRun(workspace));
    const [outcome] = await report(aPolicySetOutcome(evaluationOf(stage)));
    const user = await on.member(organization);
    const granted = await on.team(organization, { access: new Set(['read-workspaces']) }, [user]);
    const elsewhere = await on.team(organization, {}, [user]);
    await on.grant(granted, workspace, { access: 'write' });
    await on.grant(elsewhere, await on.workspace(organization), { access: 'admin' });
    const standings = async (actor: Parameters<Transaction['taskStages']['findFor']>[0]) =>
      on.read(async (tx) => [
        (await tx.taskStages.findFor(actor, stage.id))?.standing,
        (await tx.taskStages.findEvaluationFor(actor, evaluationOf(stage).id))?.standing,
        (await tx.taskStages.findOutcomeFor(actor, outcome?.id ?? ''))?.standing,
      ]);
    const own = { teamId: granted.id, owners: false, access: granted.access, grant: { access: 'write' } };
    const bare = { teamId: elsewhere.id, owners: false, access: elsewhere.access };
    for (const standing of await standings(asUser(user))) {
      expect(standing).toMatchObject({ actor: 'user', siteAdministrator: false, member: true });
      expect(standing?.teams).toHaveLength(2);
      expect(standing?.teams).toEqual(expect.arrayContaining([own, bare]));
    }
    const ofTeam = { actor: 'team', siteAdministrator: false, member: true, teams: [own] };
    expect(await standings(asTeam(granted))).toEqual([ofTeam, ofTeam, ofTeam]);
    const nothing = { actor: 'organization', siteAdministrator: false, member: false, teams: [] };
    expect(await standings(asOrganization(await on.organization()))).toEqual([nothing, nothing, nothing]);
  });

  it.each(['workspace', 'organization'] as const)('are hidden with their %s', async (what) => {
    const place = await aPlace();
    const { organization, workspace } = place;
    const caller = asOrganization(organization);
    const stage = await add(await addRun(workspace));
    const evaluation = evaluationOf(stage);
    const outcome = aPolicySetOutcome(evaluation, { error: 'broken' });
    await report(outcome);
    const all = () =>
      on.read(async (tx) => [
        await tx.taskStages.findFor(caller, stage.id),
        await tx.taskStages.findEvaluationFor(caller, evaluation.id),
        await tx.taskStages.findOutcomeFor(caller, outcome.id),
        (await tx.taskStages.ofRun(stage.runId))[0],
        (await tx.taskStages.idsOfRuns([stage.runId])).get(stage.runId),
        (await tx.taskStages.ofRuns([stage.runId]))[0],
        (await tx.taskStages.outcomes(evaluation.id, [], everything)).items[0],
        (await tx.taskStages.outcomes(evaluation.id, [{ status: 'errored', enforcementLevel: null }], everything))
          .items[0],
      ]);
    for (const found of await all()) expect(found).toBeDefined();
    await on.run((tx) =>
      what === 'workspace' ? tx.workspaces.remove(workspace.id, noon) : tx.organizations.remove(organization.id, noon),
    );
    for (const found of await all()) expect(found).toBeUndefined();
    const page = await on.read((tx) => tx.taskStages.outcomes(evaluation.id, [], everything));
    expect(page).toEqual({ ...everything, total: 0, items: [] });
  });

  it('give back each outcome as it was reported, its policies in order', async () => {
    const { organization, workspace } = await aPlace();
    const evaluation = evaluationOf(await add(await addRun(workspace)));
    const full = aPolicySetOutcome(evaluation, {
      policySetDescription: 'The usual',
      overridable: true,
      error: 'could not be compiled',
      warnings: ['old', 'slow'],
      outcomes: [
        aPolicyOutcome({
          policyName: 'z',
          description: 'last by name',
          query: 'data.z',
          output: ['a', { b: [1, null] }],
        }),
        aPolicyOutcome({ policyName: 'y', status: 'failed', enforcementLevel: 'advisory', output: [] }),
        aPolicyOutcome({ policyName: 'x', status: 'errored' }),
      ],
    });
    const bare = aPolicySetOutcome(evaluation, { position: 1 });
    await report(bare, full);
    const caller = asOrganization(organization);
    for (const outcome of [full, bare]) {
      expect((await on.read((tx) => tx.taskStages.findOutcomeFor(caller, outcome.id)))?.subject).toEqual(outcome);
    }
    expect(full.outcomes[2] as object).not.toHaveProperty('enforcementLevel');
    const page = await on.read((tx) => tx.taskStages.outcomes(evaluation.id, [], everything));
    expect(page).toEqual({ ...everything, total: 2, items: [full, bare] });
  });

  it('page through outcomes in the order of the report, filtered or not', async () => {
    const { workspace } = await aPlace();
    const stage = await add(await addRun(workspace), { evaluations: freshKinds() });
    const [evaluation, other] = stage.evaluations;
    if (evaluation === undefined || other === undefined) throw new Error('there are two kinds');
    const sets = Array.from({ length: 5 }, (_, position) =>
      aPolicySetOutcome(evaluation, { position, outcomes: [aPolicyOutcome()] }),
    );
    await report(...sets.toReversed(), aPolicySetOutcome(other, { outcomes: [aPolicyOutcome()] }));
    for (const filters of [[], [{ status: 'passed', enforcementLevel: 'mandatory' }]] as const) {
      const page = (number: number, size = 2) =>
        on.read((tx) => tx.taskStages.outcomes(evaluation.id, filters, { number, size }));
      expect(await page(1)).toEqual({ number: 1, size: 2, total: 5, items: sets.slice(0, 2) });
      expect(await page(3)).toEqual({ number: 3, size: 2, total: 5, items: sets.slice(4) });
      expect(await page(4)).toEqual({ number: 4, size: 2, total: 5, items: [] });
      expect(await page(100_000_000, 100)).toMatchObject({ total: 5, items: [] });
    }
    const empty = { ...everything, total: 0, items: [] };
    expect(await on.read((tx) => tx.taskStages.outcomes('poleval-nobody', [], everything))).toEqual(empty);
    const unreported = evaluationOf(await add(await addRun(workspace)));
    expect(await on.read((tx) => tx.taskStages.outcomes(unreported.id, [], everything))).toEqual(empty);
  });

  it('take reports of any size, and drop them again with no other’s', async () => {
    const { workspace } = await aPlace();
    const [stage, neighbour] = [
      await add(await addRun(workspace), { evaluations: freshKinds() }),
      await add(await addRun(workspace)),
    ];
    const counts = new Map<PolicyEvaluation, number>([
      ...stage.evaluations.map((evaluation, index) => [evaluation, index === 0 ? 230 : 1] as const),
      [evaluationOf(neighbour), 1],
    ]);
    for (const [evaluation, count] of counts) {
      const sets = Array.from({ length: count }, (_, position) =>
        aPolicySetOutcome(evaluation, { position, outcomes: [aPolicyOutcome(), aPolicyOutcome(), aPolicyOutcome()] }),
      );
      await report(...sets);
    }
    const stored = (id: string, size = 300) => on.read((tx) => tx.taskStages.outcomes(id, [], { number: 1, size }));
    for (const [{ id }, count] of counts) {
      const { total, items } = await stored(id);
      expect([total, items.length, items.flatMap(({ outcomes }) => outcomes).length]).toEqual([
        count,
        count,
        3 * count,
      ]);
    }
    await report();
    await on.run((tx) => tx.taskStages.dropOutcomes(stage));
    for (const { id } of stage.evaluations) expect(await stored(id)).toMatchObject({ total: 0, items: [] });
    expect(await stored(evaluationOf(neighbour).id)).toMatchObject({ total: 1 });
    await report(aPolicySetOutcome(evaluationOf(stage), { outcomes: [aPolicyOutcome()] }));
    expect(await stored(evaluationOf(stage).id)).toMatchObject({ total: 1 });
  });

  const level = fc.constantFrom(...enforcementLevels);
  const anOutcome: fc.Arbitrary<PolicyOutcome> = fc
    .record({ status: fc.constantFrom(...outcomeStatuses), enforcementLevel: level })
    .map(({ status, enforcementLevel }) =>
      aPolicyOutcome(status === 'errored' ? { status } : { status, enforcementLevel }),
    );
  const someSets = fc.array(
    fc.record({
      error: fc.option(fc.constant('broken'), { freq: 4 }),
      outcomes: fc.array(anOutcome, { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 12 },
  );
  const someFilters: fc.Arbitrary<OutcomeFilter[]> = fc.array(
    fc.record({ status: fc.constantFrom(...outcomeStatuses), enforcementLevel: fc.option(level) }),
    { maxLength: 3 },
  );

  /** The outcome's own status, and its level unless any will do. */
  const isMeant = ({ error, outcomes }: PolicySetOutcome, { status, enforcementLevel }: OutcomeFilter): boolean => {
    const said = outcomes.map((one) =>
      one.status === 'errored' ? 'errored' : `${one.status} ${one.enforcementLevel}`,
    );
    const strictest = ['failed mandatory', 'failed advisory', 'passed mandatory', 'passed advisory', 'passed none'];
    const own =
      error !== null || said.includes('errored') ? 'errored none' : strictest.find((one) => said.includes(one));
    const [ownStatus, ownLevel] = (own ?? 'passed none').split(' ');
    return status === ownStatus && (enforcementLevel === null || enforcementLevel === ownLevel);
  };

  it('filter outcomes by their own status and level', async () => {
    const { workspace } = await aPlace();
    const run = await addRun(workspace);
    await fc.assert(
      fc.asyncProperty(
        someSets,
        fc.array(someFilters, { minLength: 1, maxLength: 6 }),
        fc.record({ number: fc.integer({ min: 1, max: 3 }), size: fc.integer({ min: 1, max: 8 }) }),
        async (drafts, questions, request) => {
          const stage = aTaskStage(run);
          const sets = drafts.map((draft, position) => aPolicySetOutcome(evaluationOf(stage), { position, ...draft }));
          const answers = await on.run(async (tx) => {
            await tx.taskStages.dropOutcomes(await ofRunOr(tx, stage));
            const own = await ofRunOr(tx, stage);
            const ownSets = sets.map((set) => ({ ...set, policyEvaluationId: evaluationOf(own).id }));
            await tx.taskStages.addOutcomes(ownSets);
            const pages = [];
            for (const filters of questions) {
              pages.push(await tx.taskStages.outcomes(evaluationOf(own).id, filters, request));
            }
            return pages;
          });
          questions.forEach((filters, index) => {
            const matching = sets.filter((set) => filters.length === 0 || filters.some((one) => isMeant(set, one)));
            const start = (request.number - 1) * request.size;
            const page = answers[index];
            expect(page?.total).toBe(matching.length);
            expect(idsOf(page?.items ?? [])).toEqual(idsOf(matching.slice(start, start + request.size)));
          });
        },
      ),
      { numRuns: runs(60) },
    );
  });

  /** A run has one stage: the stored one, or else this. */
  async function ofRunOr(tx: Transaction, stage: TaskStage): Promise<TaskStage> {
    const [stored] = await tx.taskStages.ofRun(stage.runId);
    if (stored === undefined) await tx.taskStages.add(stage);
    return stored ?? stage;
  }
});
