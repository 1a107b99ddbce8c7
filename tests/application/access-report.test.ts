import { expect, it } from '@jest/globals';
import type { Workspace } from '../../src/domain/index.js';
import { World } from '../support/application.js';
import { giveGrant } from '../support/builders.js';

async function all<Part>(parts: AsyncIterable<Part>): Promise<readonly Part[]> {
  const found: Part[] = [];
  for await (const part of parts) found.push(part);
  return found;
}

it('reads the report of an organization once at a time', async () => {
  const { useCases, owner } = await World.create();
  const report = useCases.readAccessReport;
  const first = await report.execute(owner, 'acme');
  await expect(report.execute(owner, 'acme')).rejects.toMatchObject({ code: 'snapshots/busy' });
  await first.return();
  const again = await report.execute(owner, 'acme');
  expect((await all(again)).flatMap(({ rows }) => rows)).toHaveLength(3);
  await (await report.execute(owner, 'acme')).return();
});

it('gives the access of each team to each of its members, however long both are', async () => {
  const world = await World.create();
  const { owner, useCases, unitOfWork } = world;
  const [long, short] = [await world.newTeam('long'), await world.newTeam('short')];
  const { userId } = await world.join('anna', long.id, short.id);
  await world.join('bert', long.id, short.id);
  const workspaces: Workspace[] = [];
  for (let number = 0; number < 255; number += 1) workspaces.push(await world.newWorkspace(`w-${number}`));
  await unitOfWork.run(async (tx) => {
    for (const { id } of workspaces) await giveGrant(tx, long.id, id, { access: 'read' });
    await giveGrant(tx, short.id, workspaces[0]?.id ?? '', { access: 'write' });
  });
  const parts = await all(await useCases.readAccessReport.execute(owner, 'acme'));
  const rows = parts.flatMap((part) => part.rows);
  expect(rows).toHaveLength(3 + 2 * (1 + 255 + 1));
  const ofAnna = rows.filter(({ person }) => person.userId === userId);
  const given = (name: string) => ofAnna.flatMap(({ team, place }) => (team?.name === name ? [place.id] : []));
  expect(given('long').sort()).toEqual(workspaces.map(({ id }) => id).sort());
  expect(given('short')).toEqual([workspaces[0]?.id]);
  expect(Math.max(...parts.map((part) => part.rows.length))).toBeLessThan(501);
});
