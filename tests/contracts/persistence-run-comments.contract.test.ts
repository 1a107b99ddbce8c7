import { expect, it } from '@jest/globals';
import type { RunComment } from '../../src/domain/index.js';
import { afterNoon, aRun, aRunComment, noon } from '../support/builders.js';
import { type Ground, onEveryBackend } from './on-every-backend.js';

const aRunOn = async (on: Ground) => {
  const organization = await on.organization();
  const workspace = await on.workspace(organization);
  const version = await on.version(workspace);
  return on.run(async (tx) => {
    const { sequence } = await tx.runs.takeSequence(workspace.id);
    const run = aRun(workspace, version.state, { sequence });
    await tx.runs.add(run);
    return { workspace, run: run.state };
  });
};

const withoutText = ({ body: _, ...comment }: RunComment) => comment;

onEveryBackend('comments on runs', (on) => {
  it('are found by their id, and listed with their run, oldest first', async () => {
    const { run } = await aRunOn(on);
    const comments = [afterNoon(2), noon, afterNoon(1), noon].map((createdAt) => aRunComment(run, { createdAt }));
    const others = aRunComment((await aRunOn(on)).run);
    for (const comment of [...comments, others]) await on.run((tx) => tx.runComments.add(comment));
    const [third, first, second, alsoFirst] = comments;
    const firsts = [first, alsoFirst].sort((a, b) => ((a?.id ?? '') < (b?.id ?? '') ? -1 : 1));
    expect(await on.read((tx) => tx.runComments.ofRun(run.id))).toEqual([...firsts, second, third]);
    expect(await on.read((tx) => tx.runComments.ofRun('run-nobody'))).toEqual([]);
    const dated = [...firsts, second, third].flatMap((comment) => withoutText(comment ?? others));
    const other = withoutText(others);
    expect(await on.read((tx) => tx.runComments.datesOfRuns([run.id, others.runId, 'run-nobody']))).toEqual(
      new Map([
        [run.id, dated],
        [others.runId, [other]],
      ]),
    );
    expect(await on.read((tx) => tx.runComments.datesOfRuns([]))).toEqual(new Map());
    expect(await on.read((tx) => tx.runComments.find(others.id))).toEqual(others);
    expect(await on.read((tx) => tx.runComments.find('wsc-nobody'))).toBeUndefined();
  });

  it('stay until their run is removed', async () => {
    const { workspace, run } = await aRunOn(on);
    const comment = aRunComment(run);
    await on.run((tx) => tx.runComments.add(comment));
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect(await on.read((tx) => tx.runComments.find(comment.id))).toEqual(comment);
    await on.run((tx) => tx.removals.removeBatch({ kind: 'workspace', id: workspace.id }, 100));
    expect(await on.read((tx) => tx.runComments.find(comment.id))).toBeUndefined();
  });
});
