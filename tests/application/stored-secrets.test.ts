import { beforeEach, describe, expect, it } from '@jest/globals';
import { SealedSecretBox } from '../../src/adapters/system/sealed-secret-box.js';
import { StoredSecrets } from '../../src/application/background/stored-secrets.js';
import { RetryingUnitOfWork } from '../../src/application/index.js';
import { World } from '../support/application.js';
import { aBundle, aRun, aSetVariable, aStateOutput, aStateVersion } from '../support/builders.js';

const worlds = 'a secret for tests that is long enough';
const day = 24 * 3600;

let world: World;
beforeEach(async () => {
  world = await World.create();
});

const holding = (...secrets: readonly [string, ...string[]]) => {
  const box = new SealedSecretBox(secrets);
  return { box, stored: new StoredSecrets(new RetryingUnitOfWork(world.unitOfWork), world.clock, box) };
};

describe('a stored secret', () => {
  it('is opened by everybody who has the secret it was sealed with, wherever it stands in the list', () => {
    const sealed = holding('new', 'old').box.seal('key');
    for (const { box } of [holding('new'), holding('old', 'new'), holding('newer', 'new')]) {
      expect(box.open(sealed)).toBe('key');
    }
    for (const text of [sealed, sealed.slice(0, -2), 'v1.', '']) {
      expect(() => holding('old', 'other').box.open(text)).toThrow(/no longer configured/);
    }
  });

  it('does not reveal the secrets of its box', () => {
    const { box } = holding(worlds, 'another');
    expect(JSON.stringify([box.fingerprints, box.seal('whsec_key')])).not.toMatch(/secret|another|whsec/);
    expect(new Set(box.fingerprints).size).toBe(2);
  });
});

describe('changing the signing secret', () => {
  const linked = async (name: string) => {
    const repository = { cloneUrl: `https://git.example.com/${name}.git`, branch: null, credential: null };
    const { subject } = await world.useCases.createWorkspace.execute(world.owner, 'acme', { name, repository });
    return subject;
  };
  const keyOf = async (id: string, box: SealedSecretBox) =>
    box.open(
      (await world.unitOfWork.read((tx) => tx.workspaces.find(id)))?.repository?.sealedWebhookKey ?? 'no such key',
    );

  it('seals what is stored with the new one, once, and changes nothing else', async () => {
    const workspaces = [];
    for (let count = 0; count < 120; count += 1) workspaces.push(await linked(`linked-${count}`));
    const keys = await Promise.all(workspaces.map(({ id }) => keyOf(id, world.box)));
    const both = holding('the new one', worlds);
    expect(await both.stored.renew()).toEqual({ sealed: 120, lost: 0 });
    const alone = holding('the new one');
    expect(await Promise.all(workspaces.map(({ id }) => keyOf(id, alone.box)))).toEqual(keys);
    expect(await alone.stored.renew()).toEqual({ sealed: 0, lost: 0 });
    const [first] = workspaces;
    const kept = await world.unitOfWork.read((tx) => tx.workspaces.find(first?.id ?? ''));
    const repository = expect.objectContaining({ ...first?.repository, sealedWebhookKey: expect.any(String) });
    expect(kept).toEqual({ ...first, repository, revision: (first?.revision ?? 0) + 1 });
  });

  it('seals the webhook keys of policy sets with the new one, once, and changes nothing else', async () => {
    const repository = { cloneUrl: 'https://git.example.com/policies.git', branch: null, credential: null };
    const kept = { policyToolVersion: null, agentEnabled: false, updatePatterns: [], policiesPath: null };
    const settings = { name: 'linked', description: null, kind: 'opa', policies: [], ...kept } as const;
    const set = { ...settings, global: true, overridable: false, repository };
    const { webhookKey, ...made } = await world.useCases.createPolicySet.execute(world.owner, 'acme', set);
    expect(await holding('the new one', worlds).stored.renew()).toEqual({ sealed: 1, lost: 0 });
    const alone = holding('the new one');
    const sealed = await world.unitOfWork.read((tx) => tx.policySets.find(made.id));
    expect(alone.box.open(sealed?.repository?.sealedWebhookKey ?? '')).toBe(webhookKey);
    const link = { ...made.repository, sealedWebhookKey: sealed?.repository?.sealedWebhookKey };
    expect(sealed).toEqual({ ...made, repository: link, revision: made.revision + 1 });
    expect(await alone.stored.renew()).toEqual({ sealed: 0, lost: 0 });
  });

  it('seals variables with the new one, once, sensitive ones too, and changes nothing else', async () => {
    const { owner, workspace, useCases } = world;
    const settings = { description: null, category: 'env', hcl: false } as const;
    for (let count = 0; count < 120; count += 1) {
      const draft = { ...settings, key: `K${count}`, value: `value ${count}`, sensitive: count % 2 === 0 };
      await useCases.createVariable.execute(owner, workspace.id, draft);
    }
    await linked('linked');
    const variables = () => world.unitOfWork.read((tx) => tx.variables.ofWorkspace(workspace.id));
    const before = await variables();
    expect(await holding('the new one', worlds).stored.renew()).toEqual({ sealed: 121, lost: 0 });
    const alone = holding('the new one');
    const after = await variables();
    expect(after.map(({ key, sealedValue }) => [key, alone.box.open(sealedValue)])).toEqual(
      before.map(({ key, sealedValue }) => [key, world.box.open(sealedValue)]),
    );
    expect(after.map((variable) => ({ ...variable, sealedValue: '', revision: 0 }))).toEqual(
      before.map((variable) => ({ ...variable, sealedValue: '' })),
    );
    expect(await alone.stored.renew()).toEqual({ sealed: 0, lost: 0 });
  });

  it('seals variables of variable sets with the new one, and counts those that no secret opens', async () => {
    const { owner, useCases } = world;
    const settings = { description: null, category: 'env', hcl: false, sensitive: true } as const;
    const variables = [1, 2, 3].map((count) => ({ ...settings, key: `K${count}`, value: `value ${count}` }));
    const set = { name: 'shared', description: '', global: true, priority: false, projectId: null };
    const none = { workspaceIds: [], projectIds: [] };
    const { id } = await useCases.createVariableSet.execute(owner, 'acme', { ...set, ...none, variables });
    const lost = aSetVariable({ id }, { sealedValue: 'v2.lost.sealed' });
    await world.unitOfWork.run((tx) => tx.setVariables.add(lost));
    expect(await holding('the new one', worlds).stored.renew()).toEqual({ sealed: 3, lost: 1 });
    const alone = holding('the new one');
    const after = await world.unitOfWork.read((tx) => tx.setVariables.ofSets([id]));
    const opened = after.filter((one) => one.id !== lost.id).map(({ sealedValue }) => alone.box.open(sealedValue));
    expect(opened).toEqual(['value 1', 'value 2', 'value 3']);
    expect(await alone.stored.renew()).toEqual({ sealed: 0, lost: 1 });
  });

  it('seals sensitive outputs with the new one, once, and leaves the others alone', async () => {
    const run = aRun(world.workspace, await world.newVersion());
    const version = aStateVersion(run.state);
    const outputs = Array.from({ length: 120 }, (_, index) => {
      const sensitive = index % 2 === 0;
      const value = sensitive ? world.box.seal(`"${index}"`) : `"${index}"`;
      return aStateOutput(version, { sensitive, value });
    });
    await world.unitOfWork.run(async (tx) => {
      await tx.runs.add(run);
      await tx.stateVersions.add(version, outputs);
      await tx.stateVersions.finalize(version, aBundle());
    });
    expect(await holding('the new one', worlds).stored.renew()).toEqual({ sealed: 60, lost: 0 });
    const alone = holding('the new one');
    const all = { rows: 200, characters: 1_000_000 };
    const { items } = await world.unitOfWork.read((tx) => tx.stateOutputs.slice(version.id, undefined, all));
    const opened = items.map(({ id, sensitive, value }) => [id, sensitive ? alone.box.open(value) : value]);
    expect(new Map(opened as [string, string][])).toEqual(
      new Map(outputs.map(({ id }, index) => [id, `"${index}"`] as const)),
    );
    expect(await alone.stored.renew()).toEqual({ sealed: 0, lost: 0 });
    expect(await holding('another').stored.renew()).toEqual({ sealed: 0, lost: 60 });
  });

  it('counts what it cannot open, and leaves it', async () => {
    const { id } = await linked('linked');
    const draft = { key: 'K', value: 'kept', description: null, category: 'env', hcl: false, sensitive: true } as const;
    await world.useCases.createVariable.execute(world.owner, world.workspace.id, draft);
    expect(await holding('the new one').stored.renew()).toEqual({ sealed: 0, lost: 2 });
    expect(await keyOf(id, world.box)).toMatch(/^whsec_/);
    const [variable] = await world.unitOfWork.read((tx) => tx.variables.ofWorkspace(world.workspace.id));
    expect(world.box.open(variable?.sealedValue ?? '')).toBe('kept');
  });

  it('is let in step by step, and never without one in common', async () => {
    expect(await holding('old').stored.join()).toBe(true);
    expect(await holding('new').stored.join()).toBe(false);
    expect(await holding('old', 'new').stored.join()).toBe(true);
    expect(await holding('new', 'old').stored.join()).toBe(true);
    expect(await holding('new').stored.join()).toBe(true);
  });

  it('is over a day after the last instance let go of the old one', async () => {
    await holding('old').stored.join();
    await holding('new', 'old').stored.join();
    world.clock.advance(day);
    await holding('new').stored.renew();
    expect(await holding('old').stored.join()).toBe(true);
    world.clock.advance(day + 1);
    await holding('new').stored.renew();
    expect(await holding('old').stored.join()).toBe(false);
    expect(await holding('new').stored.join()).toBe(true);
  });
});
