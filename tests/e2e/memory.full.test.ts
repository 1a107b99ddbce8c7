import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { pack } from 'tar-stream';
import { openSqlite } from '../../src/adapters/persistence/knex/knex-database.js';
import {
  aMembership,
  anOrganization,
  aTeam,
  aToken,
  aUser,
  aWorkspace,
  giveGrant,
  ownedBy,
} from '../support/builders.js';
import { inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import { residentMiB } from '../support/resident-memory.js';
import { digestOf } from '../support/small-world.js';

const MiB = 1024 * 1024;
const clients = 8;
const present = process.platform === 'linux';
const reason = present ? '' : ' (skipped: reads /proc, which only Linux has)';

/** An archive of about `mebibytes`, made of noise that does not shrink. */
async function noise(path: string, mebibytes: number): Promise<void> {
  const tar = pack();
  const entry = tar.entry({ name: 'noise.bin', size: mebibytes * MiB });
  const written = pipeline(tar, createGzip({ level: 1 }), createWriteStream(path));
  await pipeline(
    Readable.from(
      (function* () {
        for (let at = 0; at < mebibytes; at += 1) yield randomBytes(MiB);
      })(),
    ),
    entry,
  );
  tar.finalize();
  await written;
}

interface Store {
  readonly environment: Readonly<Record<string, string>>;
  end(): void;
}

/** An object store in a process of its own, which forgets each bundle once it is kept. */
async function objectStore(): Promise<Store> {
  const program = `
    import { startS3Server } from ${JSON.stringify(new URL('../support/s3-server.ts', import.meta.url).href)};
    const server = await startS3Server({
      before: (operation, key) => {
        if (operation === 'DeleteObject') server.objects.delete(key.replace('unsettled/', 'bundles/'));
        return 'serve';
      },
    });
    process.stdout.write(JSON.stringify(server.environment));
  `;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [environment] = await once(child.stdout, 'data');
  return { environment: JSON.parse(String(environment)), end: () => void child.kill() };
}

const noStore = async (): Promise<Store> => ({ environment: {}, end: () => undefined });

const cases: readonly { store: string; archiveMiB: number; bound: number; open: () => Promise<Store> }[] = [
  { store: 'files', archiveMiB: 200, bound: 64, open: noStore },
  { store: 'an object store', archiveMiB: 64, bound: 150, open: objectStore },
];

/** The secret of one who may read the lists. */
const reader = 'a-secret-for-a-test-that-reads-lists';

/** Creates a workspace for each length, with access for that many teams. Returns their ids. */
async function longLists(file: string, lengths: readonly number[]): Promise<Record<number, string>> {
  const database = openSqlite(file);
  await database.migrate();
  const [organization, user] = [anOrganization(), aUser()];
  const workspaces = lengths.map(() => aWorkspace(organization));
  await database.unitOfWork.run(async (tx) => {
    await tx.organizations.add(organization);
    await tx.users.add(user);
    await tx.memberships.add(aMembership(organization, user));
    await tx.tokens.add(aToken(ownedBy('user', user), { secretDigest: digestOf(reader) }));
    for (const workspace of workspaces) await tx.workspaces.add(workspace);
    for (let index = 0; index < Math.max(...lengths); index += 1) {
      const team = aTeam(organization, { visibility: 'organization' });
      await tx.teams.add(team);
      if (index === 0) await tx.teams.addMembers(team, [user.id]);
      for (const [at, length] of lengths.entries()) {
        const id = workspaces[at]?.id ?? '';
        if (index < length) await giveGrant(tx, team.id, id, { access: 'read' });
      }
    }
  });
  await database.close();
  return Object.fromEntries(lengths.map((length, at) => [length, workspaces[at]?.id ?? '']));
}

describe(`memory${reason}`, () => {
  (present ? it.each(cases) : it.skip.each(cases))(
    `stays within $bound MiB of idle while ${clients} clients upload $archiveMiB MiB each into $store`,
    async ({ archiveMiB, bound, open }) => {
      const store = await open();
      await inTemporaryDirectory(async (directory) => {
        const archive = join(directory, 'noise.tar.gz');
        await noise(archive, archiveMiB);
        const { size } = await stat(archive);
        const service = await ServiceProcess.start({
          DATA_DIR: join(directory, 'data'),
          MAX_ARCHIVE_BYTES: String(2 ** 31),
          MAX_UNPACKED_BYTES: String(2 ** 32),
          ...store.environment,
        });
        try {
          const workspaceId = await service.provision();
          const pid = service.child.pid ?? 0;
          const idle = await residentMiB(pid, 'VmRSS');
          const upload = async () => {
            const { uploadUrl } = await service.newVersion(workspaceId);
            const put = request(uploadUrl, { method: 'PUT', headers: { 'Content-Length': size } });
            const answered = once(put, 'response');
            await pipeline(createReadStream(archive), put);
            const [response] = await answered;
            response.resume();
            return response.statusCode as number;
          };
          const begun = Date.now();
          expect(await Promise.all(Array.from({ length: clients }, upload))).toEqual(Array(clients).fill(200));
          const seconds = (Date.now() - begun) / 1000;
          const peak = await residentMiB(pid, 'VmHWM');
          const figures = `idle ${idle.toFixed(0)} MiB, peak ${peak.toFixed(0)} MiB, ${((clients * size) / MiB / seconds).toFixed(0)} MiB/s`;
          process.stdout.write(`${clients} uploads of ${(size / MiB).toFixed(0)} MiB at once: ${figures}\n`);
          expect(peak - idle).toBeLessThan(bound);
        } finally {
          await service.end();
        }
      }).finally(() => store.end());
    },
  );

  (present ? it : it.skip)(`does not grow with the length of a list that ${clients} clients read whole`, () =>
    inTemporaryDirectory(async (directory) => {
      const lists = await longLists(join(directory, 'gatehouse.sqlite'), [1_000, 50_000]);
      const service = await ServiceProcess.start({ DATA_DIR: directory });
      try {
        const pid = service.child.pid ?? 0;
        const read = async (rows: number): Promise<void> => {
          const path = `${service.url}/team-workspaces?filter[workspace][id]=${lists[rows]}`;
          const answer = await fetch(path, { headers: { Authorization: `Bearer ${reader}` } });
          let bytes = 0;
          for await (const chunk of answer.body ?? []) bytes += chunk.length;
          expect(bytes).toBeGreaterThan(rows * 400);
        };
        const all = async (rows: number, times: number): Promise<number> => {
          for (let time = 0; time < times; time += 1) {
            await Promise.all(Array.from({ length: clients }, () => read(rows)));
          }
          return residentMiB(pid, 'VmHWM');
        };
        // Until V8 has given what is young all the room it ever will.
        const shorter = await all(1_000, 60);
        const longer = await all(50_000, 1);
        const figures = `1,000 rows ${shorter.toFixed(0)} MiB, 50,000 rows ${longer.toFixed(0)} MiB`;
        process.stdout.write(`${clients} readers of a whole list at once: peak of ${figures}\n`);
        // All of them held would be 200 MiB; when V8 collects moves the peak by some 25.
        expect(longer - shorter).toBeLessThan(64);
      } finally {
        await service.end();
      }
    }),
  );
});
