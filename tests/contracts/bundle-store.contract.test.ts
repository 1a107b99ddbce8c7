import { mkdtemp, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { FileBundleStore } from '../../src/adapters/files/file-bundle-store.js';
import { MemoryBundleStore } from '../support/memory-bundle-store.js';
import { aBundleStore, gathered, pieces } from './bundle-store.js';

const directories: string[] = [];

async function freshDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'bundles-'));
  directories.push(directory);
  return directory;
}

/** The store's files that this process has open, where the system lists them. */
async function openIn(directory: string): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  const open = await readdir('/proc/self/fd');
  const paths = await Promise.all(open.map((file) => readlink(`/proc/self/fd/${file}`).catch(() => '')));
  return paths
    .filter((path) => path.startsWith(`${directory}/`))
    .map((path) => path.slice(directory.length + 1))
    .sort();
}

afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true });
});

/** How far the stores' clocks are ahead of the system's. */
let ahead = 0;
const now = () => Date.now() + ahead;
const pass = async (milliseconds: number) => {
  ahead += milliseconds;
};

describe('the file bundle store', () => {
  aBundleStore(async () => new FileBundleStore(join(await freshDirectory(), 'made', 'on', 'demand'), now), { pass });

  const everythingIn = async (directory: string) => (await readdir(directory, { recursive: true })).sort();

  it('moves a bundle out of the way of the sweep when it is kept', async () => {
    const directory = await freshDirectory();
    const store = new FileBundleStore(directory);
    await store.write('b-abc', pieces('one'));
    expect(await everythingIn(directory)).toEqual(['incoming', 'incoming/b-abc', 'kept', 'kept/bc']);
    await store.keep('b-abc');
    expect(await everythingIn(directory)).toEqual(['incoming', 'kept', 'kept/bc', 'kept/bc/b-abc']);
    await store.discard('b-abc');
    expect(await everythingIn(directory)).toEqual(['incoming', 'kept', 'kept/bc']);
  });

  it('tells the old from the young', async () => {
    const frozen = Date.now() + 60_000;
    const store = new FileBundleStore(await freshDirectory(), () => frozen);
    const ageOf = async (key: string) => {
      for await (const { key: found, ageSeconds } of store.all()) if (found === key) return ageSeconds;
      return 0;
    };
    await store.write('b-old', pieces('x'));
    const old = await ageOf('b-old');
    do {
      await store.discard('b-young');
      await store.write('b-young', pieces('x'));
    } while ((await ageOf('b-young')) === old);
    expect(await store.unsettled((old + (await ageOf('b-young'))) / 2)).toEqual(['b-old']);
    expect(await store.unsettled(old)).toEqual([]);
  });

  it('keeps other users from reading its files', async () => {
    const directory = join(await freshDirectory(), 'bundles');
    const store = new FileBundleStore(directory);
    await store.write('b-1', pieces('one'));
    await store.write('b-2', pieces('two'));
    await store.keep('b-1');
    const modeOf = async (path: string) => ((await stat(join(directory, path))).mode & 0o777).toString(8);
    for (const path of ['', 'incoming', 'kept', 'kept/-1']) expect(await modeOf(path)).toBe('700');
    for (const path of ['incoming/b-2', 'kept/-1/b-1']) expect(await modeOf(path)).toBe('600');
  });

  it('finds again what was there before a restart', async () => {
    const directory = await freshDirectory();
    const before = new FileBundleStore(directory);
    await before.write('b-1', pieces('one'));
    await before.write('b-2', pieces('two'));
    await before.keep('b-1');
    const after = new FileBundleStore(directory, () => Date.now() + 1_000);
    expect(await gathered(await after.read('b-1'))).toBe('one');
    expect(await after.unsettled(0)).toEqual(['b-2']);
  });

  it.each([
    ['of a few bytes', 20],
    ['of many', 300_000],
  ])('holds no file open that is not being read, %s', async (_, length) => {
    const directory = await freshDirectory();
    const store = new FileBundleStore(directory);
    const keys = Array.from({ length: 20 }, (_, at) => `b-${at}`);
    const failing = async function* () {
      yield Buffer.alloc(length);
      throw new Error('the client went away');
    };
    await Promise.all(keys.map((key) => store.write(key, pieces(Buffer.alloc(length)))));
    await expect(store.write('b-failing', failing())).rejects.toThrow();
    await Promise.all(keys.map((key) => store.keep(key)));
    await Promise.all(keys.map((key) => store.read(key, undefined, length)));
    for (const key of keys) await gathered(await store.read(key, undefined, length));
    while ((await openIn(directory)).length > 0) await setTimeout(1);
  });

  it('goes on when its directories were removed', async () => {
    const directory = join(await freshDirectory(), 'bundles');
    const store = new FileBundleStore(directory);
    for (const key of ['b-one', 'b-two']) {
      await store.write(key, pieces(key));
      await store.keep(key);
      expect(await gathered(await store.read(key))).toBe(key);
      expect(await openIn(directory)).toEqual([]);
      await rm(directory, { recursive: true });
    }
  });

  it('leaves files alone that are none of its own', async () => {
    const directory = await freshDirectory();
    const store = new FileBundleStore(directory, () => Date.now() + 1_000);
    await store.write('b-1', pieces('one'));
    await writeFile(join(directory, 'incoming', '.nfs0001'), 'x');
    expect(await store.unsettled(0)).toEqual(['b-1']);
  });

  it('passes on what the file system says, and does not take a byte then', async () => {
    const path = join(await freshDirectory(), 'a-file');
    await writeFile(path, 'in the way');
    const store = new FileBundleStore(path);
    const source = pieces('one');
    await expect(store.write('b-1', source)).rejects.toMatchObject({ code: 'ENOTDIR' });
    expect(await source.next()).toMatchObject({ done: false });
    await expect(store.read('b-1')).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});

describe('the memory bundle store', () => {
  aBundleStore(async () => new MemoryBundleStore(now), { pass });

  it('takes the time from the clock it is given', async () => {
    let now = 1_000_000;
    const store = new MemoryBundleStore(() => now);
    await store.write('b-1', pieces('one'));
    now += 60_000;
    expect(await store.unsettled(60)).toEqual([]);
    now += 1;
    expect(await store.unsettled(60)).toEqual(['b-1']);
  });
});
