import { expect, it } from '@jest/globals';
import { type PolicySet, type PolicySetVersion, parameterTaken, type RunState } from '../../src/domain/index.js';
import { aBundle, afterNoon, aRun, asOrganization, asTeam, noon } from '../support/builders.js';
import {
  anEvaluation,
  aPolicySet,
  aPolicySetParameter,
  aPolicySetVersion,
  aTaskStage,
} from '../support/policy-builders.js';
import { type Ground, onEveryBackend, refusal } from './on-every-backend.js';

const stale = refusal('shared/stale-revision');

const aSetIn = async (on: Ground, given: Partial<PolicySet> = {}) => {
  const organization = await on.organization();
  const set = aPolicySet(organization, given);
  await on.run((tx) => tx.policySets.add(set));
  return { organization, actor: asOrganization(organization), set };
};

onEveryBackend('policy set versions', (on) => {
  const add = async (set: PolicySet, given: Partial<PolicySetVersion> = {}) => {
    const version = aPolicySetVersion(set, given);
    await on.run((tx) => tx.policySetVersions.add(version));
    return version;
  };

  const find = (id: string) => on.read((tx) => tx.policySetVersions.find(id));

  it('are found with the standing of the caller', async () => {
    const { organization, actor, set } = await aSetIn(on);
    const team = await on.team(organization, { access: new Set(['manage-policies']) });
    const version = await add(set);
    expect(await on.read((tx) => tx.policySetVersions.findFor(asTeam(team), version.id))).toMatchObject({
      subject: version,
      standing: { actor: 'team', member: true },
    });
    expect(await on.read((tx) => tx.policySetVersions.findFor(actor, 'polsetver-nobody'))).toBeUndefined();
    expect(await on.read((tx) => tx.policySetVersions.allOf([version.id, 'polsetver-nobody']))).toEqual([version]);
  });

  it('are missing once their organization is deleted', async () => {
    const { organization, actor, set } = await aSetIn(on);
    const { id } = await add(set);
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await find(id)).toBeUndefined();
    expect(await on.read((tx) => tx.policySetVersions.findFor(actor, id))).toBeUndefined();
  });

  it('refuse a change that is based on an older revision', async () => {
    const { set } = await aSetIn(on);
    const version = await add(set);
    const next = { ...version, status: 'ready', bundle: aBundle(), revision: 1 } as const;
    await on.run((tx) => tx.policySetVersions.save(next));
    await expect(on.run((tx) => tx.policySetVersions.save(next))).rejects.toMatchObject(stale);
    expect(await find(version.id)).toEqual(next);
  });

  it('remain after their set is deleted, as its runs need them, and belong to no set', async () => {
    const { actor, set } = await aSetIn(on);
    const version = await add(set, { bundle: aBundle() });
    const older = await add(set, { sequence: 2, supersededAt: afterNoon(1) });
    await on.run(async (tx) => {
      await tx.policySetVersions.release(set.id, afterNoon(5));
      await tx.policySets.remove(set.id);
    });
    expect(await find(version.id)).toEqual({ ...version, policySetId: null, supersededAt: afterNoon(5) });
    expect(await find(older.id)).toEqual({ ...older, policySetId: null });
    expect(await on.read((tx) => tx.policySetVersions.findFor(actor, version.id))).toBeUndefined();
  });

  it('count as bytes of their organization, and as stored files', async () => {
    const { organization, set } = await aSetIn(on);
    const [first, second] = [
      { ...aBundle(), bytes: 100 },
      { ...aBundle(), bytes: 30 },
    ];
    const version = await add(set, { bundle: first });
    const kept = () => on.read((tx) => tx.keptBytes.of({ organizationId: organization.id }));
    expect(await kept()).toBe(100);
    await on.run((tx) => tx.policySetVersions.save({ ...version, bundle: second, revision: 1 }));
    expect(await kept()).toBe(30);
    expect(await on.read((tx) => tx.keptBytes.drifts())).not.toContainEqual(
      expect.objectContaining({ id: organization.id }),
    );
    expect(await on.read((tx) => tx.storedFiles.refersTo(second.key))).toBe(true);
    const files = await on.read((tx) => tx.storedFiles.page(1000));
    const { bytes, sha256 } = second;
    expect(files).toContainEqual({ key: second.key, of: version.id, known: { bytes, sha256 } });
    await on.run((tx) => tx.policySetVersions.save({ ...version, bundle: null, revision: 2 }));
    expect(await kept()).toBe(0);
  });

  it('are unneeded once superseded for long enough, unless a run in progress is evaluated with them', async () => {
    const { organization, set } = await aSetIn(on);
    const used = await add(set, { sequence: 1, bundle: aBundle() });
    const unused = await add(set, { sequence: 2, bundle: aBundle() });
    const recent = await add(set, { sequence: 3, bundle: aBundle() });
    const current = await add(set, { sequence: 4, bundle: aBundle() });
    await add(set, { sequence: 5, supersededAt: afterNoon(1) });
    await on.run(async (tx) => {
      await tx.policySetVersions.supersede(used.id, afterNoon(1));
      await tx.policySetVersions.supersede(used.id, afterNoon(9));
      await tx.policySetVersions.supersede(unused.id, afterNoon(2));
      await tx.policySetVersions.supersede(recent.id, afterNoon(3));
    });
    const workspace = await on.workspace(organization);
    const { state: files } = await on.version(workspace);
    const runIn = (status: RunState['status'], sequence: number) => {
      const run = aRun(workspace, files, { status, sequence });
      const archive = { versionId: used.id, sha256: 'a'.repeat(64), bytes: 1 };
      const { id, name, description, overridable, policyToolVersion } = set;
      const applied = { id, name, description, overridable, policyToolVersion, policies: [], archive };
      return { run, stage: aTaskStage(run, { evaluations: [anEvaluation({ policySets: [applied] })] }) };
    };
    const over = runIn('applied', 1);
    const waiting = runIn('pending', 2);
    await on.run(async (tx) => {
      for (const { run, stage } of [over, waiting]) {
        await tx.runs.add(run);
        await tx.taskStages.add(stage);
      }
    });
    const unneeded = async (limit = 1000) =>
      (await on.read((tx) => tx.policySetVersions.unneeded(afterNoon(3), limit)))
        .map(({ id }) => id)
        .filter((id) => [used, unused, recent, current].some((one) => one.id === id));
    expect(await unneeded()).toEqual([unused.id]);
    await on.run((tx) =>
      tx.runs.save(aRun(workspace, files, { ...waiting.run.state, status: 'applied', revision: 1 })),
    );
    expect(await unneeded()).toEqual([used.id, unused.id]);
    expect(await on.read((tx) => tx.policySetVersions.unneeded(afterNoon(3), 1))).toHaveLength(1);
  });
});

onEveryBackend('policy set parameters', (on) => {
  it('are listed by key, and found with the standing of the caller', async () => {
    const { organization, set } = await aSetIn(on);
    const other = aPolicySet(organization);
    await on.run((tx) => tx.policySets.add(other));
    const team = await on.team(organization);
    const [b, a] = [aPolicySetParameter(set, { key: 'b' }), aPolicySetParameter(set, { key: 'a', sensitive: true })];
    const elsewhere = aPolicySetParameter(other, { key: 'a' });
    for (const one of [b, a, elsewhere]) await on.run((tx) => tx.policySetParameters.add(one));
    expect(await on.read((tx) => tx.policySetParameters.ofSets([set.id]))).toEqual([a, b]);
    expect(await on.read((tx) => tx.policySetParameters.ofSets([]))).toEqual([]);
    expect(await on.read((tx) => tx.policySetParameters.ofSets([set.id, other.id]))).toHaveLength(3);
    const find = (setId: string, id: string) =>
      on.read((tx) => tx.policySetParameters.findFor(asTeam(team), setId, id));
    expect(await find(set.id, a.id)).toMatchObject({ subject: a, standing: { actor: 'team', member: true } });
    expect(await find(other.id, a.id)).toBeUndefined();
  });

  it('have a key that is theirs alone in the set', async () => {
    const { set } = await aSetIn(on);
    const [first, second] = [aPolicySetParameter(set, { key: 'a' }), aPolicySetParameter(set, { key: 'b' })];
    for (const one of [first, second]) await on.run((tx) => tx.policySetParameters.add(one));
    const refused = parameterTaken();
    await expect(on.run((tx) => tx.policySetParameters.add(aPolicySetParameter(set, { key: 'a' })))).rejects.toEqual(
      refused,
    );
    await expect(on.run((tx) => tx.policySetParameters.save({ ...second, key: 'a', revision: 1 }))).rejects.toEqual(
      refused,
    );
    await expect(on.run((tx) => tx.policySetParameters.save({ ...second, revision: 2 }))).rejects.toMatchObject(stale);
  });

  it('go when they are removed, with their set, and with their organization', async () => {
    const { organization, set } = await aSetIn(on);
    const all = [aPolicySetParameter(set), aPolicySetParameter(set)];
    for (const one of all) await on.run((tx) => tx.policySetParameters.add(one));
    const remove = () => on.run((tx) => tx.policySetParameters.remove(all[0]?.id ?? ''));
    expect([await remove(), await remove()]).toEqual([true, false]);
    const left = () => on.read((tx) => tx.policySetParameters.ofSets([set.id]));
    expect(await left()).toEqual([all[1]]);
    await on.run((tx) => tx.policySets.remove(set.id));
    expect(await left()).toEqual([]);
    const gone = aPolicySet(organization);
    await on.run(async (tx) => {
      await tx.policySets.add(gone);
      await tx.policySetParameters.add(aPolicySetParameter(gone));
      await tx.organizations.remove(organization.id, noon);
    });
    expect(await on.read((tx) => tx.policySetParameters.ofSets([gone.id]))).toEqual([]);
  });

  it('are found by the key they are sealed with', async () => {
    const { set } = await aSetIn(on);
    const own = aPolicySetParameter(set, { id: 'var-zz-2', sealedValue: 'v2.new.text' });
    const others = ['var-zz-1', 'var-zz-3'].map((id) => aPolicySetParameter(set, { id, sealedValue: 'v2.old.text' }));
    for (const one of [own, ...others]) await on.run((tx) => tx.policySetParameters.add(one));
    const found = (after: string, limit = 10) =>
      on.read((tx) => tx.policySetParameters.sealedWithOtherKeys('new', after, limit));
    expect((await found('var-zz')).map(({ id }) => id)).toEqual(['var-zz-1', 'var-zz-3']);
    expect((await found('var-zz-1', 1)).map(({ id }) => id)).toEqual(['var-zz-3']);
  });
});
