import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Transaction } from '../../src/application/index.js';
import type { Bundle, ConfigurationVersion, Organization, Run, Workspace } from '../../src/domain/index.js';
import { aConfigurationVersion, aRun, aStateVersion, changed, noon, unique } from '../support/builders.js';
import { type Ground, onEveryBackend } from './on-every-backend.js';

const bundleOf = (bytes: number): Bundle => ({ key: unique('bundle'), bytes, sha256: 'a'.repeat(64) });

const kept = (on: Ground, { id: organizationId }: Organization) => on.read((tx) => tx.keptBytes.of({ organizationId }));

const addRun = async (
  tx: Transaction,
  workspace: Workspace,
  { state }: ConfigurationVersion,
  ownFiles: Bundle | null = null,
): Promise<Run> => {
  const sequence = (await tx.runs.takeSequence(workspace.id)).sequence;
  const run = aRun(workspace, state, { status: 'planned_and_finished', sequence, ownFiles });
  await tx.runs.add(run);
  return run;
};

const moved = ({ state }: Run, ownFiles: Bundle | null): Run =>
  aRun(
    { id: state.workspaceId },
    { id: state.configurationVersionId },
    { ...state, ownFiles, revision: state.revision + 1 },
  );

/** A model of the bytes an organization keeps, updated with every change. */
class Model {
  readonly workspaces: { readonly workspace: Workspace; removed: boolean }[] = [];
  readonly versions: { version: ConfigurationVersion; readonly at: number }[] = [];
  readonly runs: { run: Run; readonly at: number; states: number; artifact: number }[] = [];
  readonly codes = new Map<string, number>();

  get bytes(): number {
    const all = [
      ...this.versions.map(({ version }) => version.state.bundle?.bytes ?? 0),
      ...this.runs.map(({ run, states, artifact }) => (run.state.ownFiles?.bytes ?? 0) + states + artifact),
      ...this.codes.values(),
    ];
    return all.reduce((sum, bytes) => sum + bytes, 0);
  }
}

const kinds = [
  'workspace',
  'version',
  'upload',
  'replace',
  'soft-delete',
  'archive',
  'run',
  'files',
  'files given up',
  'announce',
  'state',
  'artifact',
  'artifact dropped',
  'code',
  'roll back',
  'remove workspace',
] as const;

interface Step {
  readonly kind: (typeof kinds)[number];
  readonly which: number;
  readonly bytes: number;
}

const aStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds),
  which: fc.nat({ max: 20 }),
  bytes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5_000 }), fc.constant(4_000_000_000)),
});

const pick = <Item>(items: readonly Item[], which: number): Item | undefined => items[which % items.length];

async function take(on: Ground, organization: Organization, model: Model, { kind, which, bytes }: Step): Promise<void> {
  const place = pick(model.workspaces, which);
  const version = pick(
    model.versions.filter(({ at }) => model.workspaces[at]?.removed === false),
    which,
  );
  const run = pick(
    model.runs.filter(({ at }) => model.workspaces[at]?.removed === false),
    which,
  );
  const saveVersion = async (bundle: Bundle | null) => {
    if (version === undefined) return;
    version.version = changed(version.version, { bundle });
    await on.run((tx) => tx.configurationVersions.save(version.version));
  };
  const saveFiles = async (ownFiles: Bundle | null) => {
    if (run === undefined) return;
    run.run = moved(run.run, ownFiles);
    await on.run((tx) => tx.runs.save(run.run));
  };
  switch (kind) {
    case 'workspace':
      model.workspaces.push({ workspace: await on.workspace(organization), removed: false });
      return;
    case 'version':
      if (place === undefined || place.removed) return;
      model.versions.push({ version: await on.version(place.workspace), at: model.workspaces.indexOf(place) });
      return;
    case 'upload':
    case 'replace':
      return saveVersion(bundleOf(bytes));
    case 'soft-delete':
      // The bytes are still there.
      return saveVersion(version?.version.state.bundle ?? null);
    case 'archive':
      return saveVersion(null);
    case 'run': {
      const workspace = version && model.workspaces[version.at]?.workspace;
      if (version === undefined || workspace === undefined) return;
      const made = await on.run((tx) =>
        addRun(tx, workspace, version.version, which % 2 === 0 ? bundleOf(bytes) : null),
      );
      model.runs.push({ run: made, at: version.at, states: 0, artifact: 0 });
      return;
    }
    case 'files':
      return saveFiles(bundleOf(bytes));
    case 'files given up':
      return saveFiles(null);
    case 'announce':
    case 'state': {
      if (run === undefined) return;
      const { state } = run.run;
      const serial = 1 + run.states + model.runs.length + which;
      await on.run(async (tx) => {
        await tx.stateVersions.dropPending(state.id);
        const current = await tx.stateVersions.current(state.workspaceId);
        const announced = aStateVersion(state, { size: bytes, serial: Math.max(serial, (current?.serial ?? 0) + 1) });
        await tx.stateVersions.add(announced, []);
        if (kind === 'announce') return;
        await tx.stateVersions.finalize(announced, bundleOf(bytes));
        await tx.stateVersions.keepJson(announced.id, bundleOf(bytes));
      });
      if (kind === 'state') run.states += 2 * bytes;
      return;
    }
    case 'artifact':
      if (run === undefined) return;
      await on.run((tx) => tx.runArtifacts.put(run.run.state.id, 'plan-file', bundleOf(bytes)));
      run.artifact = bytes;
      return;
    case 'artifact dropped':
      if (run === undefined) return;
      await on.run((tx) => tx.runArtifacts.drop(run.run.state.id));
      run.artifact = 0;
      return;
    case 'code': {
      const code = `package p${which}é`;
      const sha256 = await on.run((tx) => tx.policies.keepCode(organization.id, code));
      model.codes.set(sha256, Buffer.byteLength(code));
      return;
    }
    case 'roll back':
      if (version === undefined) return;
      await on
        .run(async (tx) => {
          await tx.configurationVersions.save(changed(version.version, { bundle: bundleOf(bytes) }));
          throw new Error('refused after all');
        })
        .catch(() => undefined);
      return;
    case 'remove workspace':
      if (place === undefined || place.removed) return;
      place.removed = true;
      await removeAll(on, { kind: 'workspace', id: place.workspace.id });
      for (const list of [model.versions, model.runs] as { at: number }[][]) {
        const left = list.filter(({ at }) => model.workspaces[at] !== place);
        list.splice(0, list.length, ...left);
      }
      return;
  }
}

async function removeAll(on: Ground, target: { readonly kind: 'workspace' | 'organization'; readonly id: string }) {
  for (let finished = false; !finished; ) {
    ({ finished } = await on.run((tx) => tx.removals.removeBatch(target, 2)));
  }
}

onEveryBackend('the bytes that an organization keeps', (on) => {
  it('are the sum of its rows after any sequence of changes', async () => {
    const met = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 10, maxLength: 40 }), async (steps) => {
        const [organization, other] = [await on.organization(), await on.organization()];
        const model = new Model();
        const beginning: Step[] = [
          { kind: 'workspace', which: 0, bytes: 0 },
          { kind: 'version', which: 0, bytes: 0 },
          { kind: 'run', which: 0, bytes: 7 },
        ];
        for (const step of [...beginning, ...steps]) {
          await take(on, organization, model, step);
          met.set(step.kind, (met.get(step.kind) ?? 0) + 1);
          expect(await kept(on, organization)).toBe(model.bytes);
        }
        const living = model.workspaces.find(({ removed }) => !removed)?.workspace;
        if (living !== undefined) {
          expect(await on.read((tx) => tx.keptBytes.of({ workspaceId: living.id }))).toBe(model.bytes);
        }
        expect(await kept(on, other)).toBe(0);
        expect(await on.read((tx) => tx.keptBytes.drifts())).toEqual([]);
        await on.run((tx) => tx.keptBytes.recount(organization.id));
        expect(await kept(on, organization)).toBe(model.bytes);
        await removeAll(on, { kind: 'organization', id: organization.id });
        expect(await kept(on, organization)).toBe(0);
      }),
      { numRuns: 15 },
    );
    // A case that never occurred was not tested.
    expect([...met.keys()].sort()).toEqual([...kinds].sort());
  });

  it('are listed for the organizations that keep the most, but not for deleted or empty ones', async () => {
    const large = 9_000_000_000_000;
    const organizations = [];
    for (const bytes of [3, 1, 2, 0]) {
      const organization = await on.organization();
      organizations.push(organization);
      const workspace = await on.workspace(organization);
      if (bytes > 0) await on.version(workspace, { status: 'uploaded', bundle: bundleOf(large + bytes) });
    }
    const [first, third, second] = organizations as [Organization, Organization, Organization];
    const shown = ({ id, name }: Organization, bytes: number) => ({ id, name, bytes: large + bytes });
    expect(await on.read((tx) => tx.keptBytes.largest(2))).toEqual([shown(first, 3), shown(second, 2)]);
    await on.run((tx) => tx.organizations.remove(first.id, noon));
    expect(await on.read((tx) => tx.keptBytes.largest(2))).toEqual([shown(second, 2), shown(third, 1)]);
    await removeAll(on, { kind: 'organization', id: first.id });
  });

  it('are 0 for what there is not', async () => {
    expect(await on.read((tx) => tx.keptBytes.of({ workspaceId: 'ws-none' }))).toBe(0);
    expect(await on.read((tx) => tx.keptBytes.of({ organizationId: 'org-none' }))).toBe(0);
  });

  it('show a transaction what it has added itself', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const seen = await on.run(async (tx) => {
      const before = await tx.keptBytes.of({ organizationId: organization.id });
      await tx.configurationVersions.add(aConfigurationVersion(workspace, { bundle: bundleOf(5) }));
      return [before, await tx.keptBytes.of({ workspaceId: workspace.id })];
    });
    expect(seen).toEqual([0, 5]);
  });
});
