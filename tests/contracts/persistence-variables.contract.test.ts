import { expect, it } from '@jest/globals';
import { SealedSecretBox } from '../../src/adapters/system/sealed-secret-box.js';
import { type Variable, variableLimits, type Workspace } from '../../src/domain/index.js';
import { aCustomGrant, asTeam, asUser, aVariable, noon } from '../support/builders.js';
import { onEveryBackend, onFreshGround, refusal, taken } from './on-every-backend.js';

const box = new SealedSecretBox(['a secret for tests that is long enough']);

onEveryBackend('variables', (on) => {
  const place = async () => {
    const organization = await on.organization();
    return { organization, workspace: await on.workspace(organization), team: await on.team(organization) };
  };

  const add = async (workspace: Workspace, given: Partial<Variable> = {}) => {
    const variable = aVariable(workspace, given);
    await on.run((tx) => tx.variables.add(variable));
    return variable;
  };

  const listed = ({ id }: Workspace) => on.read((tx) => tx.variables.ofWorkspace(id));

  it('are returned as they were added, to every caller in their workspace', async () => {
    const { workspace, team, organization } = await place();
    const variables = [
      await add(workspace),
      await add(workspace, {
        description: 'where it is',
        category: 'env',
        hcl: true,
        sensitive: true,
        sealedValue: box.seal('ä'.repeat(variableLimits.value / 2)),
        size: variableLimits.value,
        revision: 7,
      }),
    ];
    for (const variable of variables) {
      const find = (workspaceId: string) =>
        on.read((tx) => tx.variables.findFor(asTeam(team), workspaceId, variable.id));
      expect((await find(workspace.id))?.subject).toEqual(variable);
      expect(await find((await on.workspace(organization)).id)).toBeUndefined();
      expect(await find('ws-nobody')).toBeUndefined();
    }
    expect(await on.read((tx) => tx.variables.findFor(asTeam(team), workspace.id, 'var-nobody'))).toBeUndefined();
  });

  it('are found with the standing of the caller on their workspace', async () => {
    const { workspace, team, organization } = await place();
    const { id } = await add(workspace);
    const grant = aCustomGrant({ variables: 'read' });
    await on.grant(team, workspace, grant);
    const find = (actor: Parameters<typeof asTeam>[0]) =>
      on.read((tx) => tx.variables.findFor(asTeam(actor), workspace.id, id));
    expect((await find(team))?.standing.teams).toEqual([expect.objectContaining({ teamId: team.id, grant })]);
    expect((await find(await on.team(organization)))?.standing.teams[0]?.grant).toBeUndefined();
    const outsider = asUser(await on.user());
    expect((await on.read((tx) => tx.variables.findFor(outsider, workspace.id, id)))?.standing.member).toBe(false);
  });

  it('are listed by key, bytewise, and then by category', async () => {
    const { workspace, organization } = await place();
    const keys = ['b', 'B', 'a', 'ä', 'a_b', '_'];
    for (const key of keys) await add(workspace, { key });
    await add(workspace, { key: 'a', category: 'env' });
    await add(await on.workspace(organization), { key: 'another' });
    expect((await listed(workspace)).map(({ key, category }) => [key, category])).toEqual([
      ['B', 'terraform'],
      ['_', 'terraform'],
      ['a', 'env'],
      ['a', 'terraform'],
      ['a_b', 'terraform'],
      ['b', 'terraform'],
      ['ä', 'terraform'],
    ]);
  });

  it('are one of a key in a category', async () => {
    const { workspace, organization } = await place();
    const first = await add(workspace, { key: 'region' });
    await expect(add(workspace, { key: 'region' })).rejects.toEqual(taken('key'));
    const others = [
      await add(workspace, { key: 'Region' }),
      await add(workspace, { key: 'region', category: 'env' }),
      await add(await on.workspace(organization), { key: 'region' }),
    ];
    const [, ofEnvironment] = others;
    const moved = { ...(ofEnvironment as Variable), category: 'terraform', revision: 1 } as const;
    await expect(on.run((tx) => tx.variables.save(moved))).rejects.toEqual(taken('key'));
    await on.run((tx) => tx.variables.save({ ...first, description: 'its own key stays', revision: 1 }));
  });

  it('keep a change, and refuse one of what moved on', async () => {
    const { workspace } = await place();
    const variable = await add(workspace);
    const next: Variable = {
      ...variable,
      key: 'changed',
      description: 'changed',
      category: 'env',
      hcl: true,
      sensitive: true,
      sealedValue: box.seal('changed'),
      size: 7,
      revision: 1,
    };
    await on.run((tx) => tx.variables.save(next));
    expect(await listed(workspace)).toEqual([next]);
    const stale = on.run((tx) => tx.variables.save({ ...variable, revision: 1 }));
    await expect(stale).rejects.toEqual(refusal('shared/stale-revision'));
    const gone = on.run((tx) => tx.variables.save({ ...aVariable(workspace), revision: 1 }));
    await expect(gone).rejects.toEqual(refusal('shared/stale-revision'));
  });

  it('are removed once', async () => {
    const { workspace } = await place();
    const [kept, { id }] = [await add(workspace), await add(workspace)];
    expect(await on.run((tx) => tx.variables.remove(id))).toBe(true);
    expect(await on.run((tx) => tx.variables.remove(id))).toBe(false);
    expect(await listed(workspace)).toEqual([kept]);
  });

  it('are added up', async () => {
    const { workspace } = await place();
    const totals = () => on.read((tx) => tx.variables.totalsOf(workspace.id));
    expect(await totals()).toEqual({ count: 0, bytes: 0 });
    for (const size of [0, 3, 4]) await add(workspace, { size });
    expect(await totals()).toEqual({ count: 3, bytes: 7 });
  });

  it('are missing with their workspace and their organization', async () => {
    const { workspace, team, organization } = await place();
    const { id } = await add(workspace);
    const other = await place();
    const { id: otherId } = await add(other.workspace);
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    await on.run((tx) => tx.organizations.remove(other.organization.id, noon));
    expect(organization.id).not.toBe(other.organization.id);
    expect(await on.read((tx) => tx.variables.findFor(asTeam(team), workspace.id, id))).toBeUndefined();
    expect(
      await on.read((tx) => tx.variables.findFor(asTeam(other.team), other.workspace.id, otherId)),
    ).toBeUndefined();
    expect([await listed(workspace), await listed(other.workspace)]).toEqual([[], []]);
  });

  it('report which of them are sealed with another key, a part at a time', async () => {
    await onFreshGround(on.backend, async (fresh) => {
      const organization = await fresh.organization();
      const [workspace, gone] = [await fresh.workspace(organization), await fresh.workspace(organization)];
      const old = [box.seal('a'), 'v1.sealed', box.seal('b')].map((sealedValue) =>
        aVariable(workspace, { sealedValue }),
      );
      const another = new SealedSecretBox(['another secret for tests']);
      const [fingerprint] = another.fingerprints;
      const variables = [
        ...old,
        aVariable(workspace, { sealedValue: another.seal('a') }),
        aVariable(gone, { sealedValue: box.seal('a') }),
      ];
      for (const variable of variables) await fresh.run((tx) => tx.variables.add(variable));
      await fresh.run((tx) => tx.workspaces.remove(gone.id, noon));
      const [first, second, third] = old.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const part = (after: string) => fresh.read((tx) => tx.variables.sealedWithOtherKeys(fingerprint, after, 2));
      expect(await part('')).toEqual([first, second]);
      expect(await part(second?.id ?? '')).toEqual([third]);
      expect(await part(third?.id ?? '')).toEqual([]);
      const anew = { ...(first as Variable), sealedValue: another.seal('a'), revision: 1 };
      await fresh.run((tx) => tx.variables.save(anew));
      expect(await part('')).toEqual([second, third]);
    });
  });
});
