import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FileBundleStore } from '../../src/adapters/bundles/file-bundle-store.js';
import { MemoryBundleStore } from '../../src/adapters/bundles/memory-bundle-store.js';
import type { BundleStore } from '../../src/application/index.js';

const directories: string[] = [];

async function freshDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'bundles-'));
  directories.push(directory);
  return directory;
}

afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true });
});

async function* pieces(...parts: readonly (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

async function gathered(bytes: AsyncIterable<Uint8Array> | undefined): Promise<string | undefined> {
  if (bytes === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

const large = Buffer.alloc(1_000_000, 'all work and no play ');

const backends: { readonly name: string; readonly open: () => Promise<BundleStore> }[] = [
  { name: 'file', open: async () => new FileBundleStore(join(await freshDirectory(), 'made', 'on', 'demand')) },
  { name: 'memory', open: async () => new MemoryBundleStore() },
];

describe.each(backends)('bundle store contract: $name', ({ open }) => {
  let store: BundleStore;
  const contentsOf = async (key: string) => gathered(await store.read(key));

  beforeEach(async () => {
    store = await open();
  });

  it('gives back what was written, unsettled and kept', async () => {
    await store.write('b-1', pieces('one ', 'two ', '', 'three'));
    expect(await contentsOf('b-1')).toBe('one two three');
    await store.keep('b-1');
    expect(await contentsOf('b-1')).toBe('one two three');
  });

  it('gives back large bundles and empty ones', async () => {
    await store.write('b-large', pieces(large.subarray(0, 7), large.subarray(7)));
    expect(await contentsOf('b-large')).toBe(large.toString('latin1'));
    await store.write('b-empty', pieces());
    expect(await contentsOf('b-empty')).toBe('');
  });

  it('takes many at once', async () => {
    const keys = Array.from({ length: 20 }, (_, at) => `b-${at}`);
    await Promise.all(keys.map((key) => store.write(key, pieces(key, large))));
    await Promise.all(keys.map((key) => store.keep(key)));
    for (const key of keys) expect(await contentsOf(key)).toBe(key + large.toString('latin1'));
  });

  it('knows nothing of bundles nobody wrote', async () => {
    expect(await store.read('b-1')).toBeUndefined();
    await store.write('b-2', pieces('x'));
    expect(await store.read('b-1')).toBeUndefined();
  });

  it('tells keys apart that end alike or differ in case', async () => {
    const keys = ['b-xy', 'a-xy', 'y', 'xy', '-xy', 'B-xy'];
    for (const key of keys) {
      await store.write(key, pieces(key));
      await store.keep(key);
    }
    for (const key of keys) expect(await contentsOf(key)).toBe(key);
  });

  it('writes a key once', async () => {
    await store.write('b-1', pieces('first'));
    await expect(store.write('b-1', pieces('second'))).rejects.toThrow();
    expect(await contentsOf('b-1')).toBe('first');
  });

  it('reads ranges, both ends included', async () => {
    await store.write('b-1', pieces('0123456789'));
    await store.keep('b-1');
    const range = async (start: number, end: number) => gathered(await store.read('b-1', { start, end }));
    expect(await range(0, 9)).toBe('0123456789');
    expect(await range(0, 0)).toBe('0');
    expect(await range(3, 5)).toBe('345');
    expect(await range(9, 9)).toBe('9');
    expect(await range(8, 100)).toBe('89');
    expect(await range(10, 20)).toBe('');
  });

  it('reads ranges far inside a large bundle', async () => {
    await store.write('b-1', pieces(large));
    const range = { start: 300_001, end: 900_000 };
    const expected = large.subarray(range.start, range.end + 1).toString('latin1');
    expect(await gathered(await store.read('b-1', range))).toBe(expected);
  });

  it('reads one bundle many times at once', async () => {
    await store.write('b-1', pieces(large));
    const copies = await Promise.all(Array.from({ length: 10 }, () => contentsOf('b-1')));
    expect(new Set(copies)).toEqual(new Set([large.toString('latin1')]));
  });

  it('starts to read when asked for the first byte, not before', async () => {
    await store.write('b-1', pieces('one'));
    const [kept, discarded] = [await store.read('b-1'), await store.read('b-1')];
    await store.keep('b-1');
    expect(await gathered(kept)).toBe('one');
    await store.discard('b-1');
    await expect(gathered(discarded)).rejects.toThrow('was discarded before it was read');
  });

  it('finishes a read that was begun before the bundle was discarded', async () => {
    await store.write('b-1', pieces(large));
    await store.keep('b-1');
    const reading = (await store.read('b-1'))?.[Symbol.asyncIterator]();
    let read = (await reading?.next())?.value.length;
    await store.discard('b-1');
    for (let next = await reading?.next(); next && !next.done; next = await reading?.next()) read += next.value.length;
    expect(read).toBe(large.length);
  });

  it('lets a reader stop early', async () => {
    await store.write('b-1', pieces(large));
    for await (const chunk of (await store.read('b-1')) ?? []) {
      expect(chunk.length).toBeLessThan(large.length);
      break;
    }
    expect(await contentsOf('b-1')).toBe(large.toString('latin1'));
  });

  it('finds a bundle however near to its keeping it is read', async () => {
    for (let at = 0; at < 40; at += 1) {
      const key = `b-${at}-x`;
      await store.write(key, pieces(key));
      const reads = Array.from({ length: 10 }, () => contentsOf(key));
      const keeping = store.keep(key);
      reads.push(...Array.from({ length: 10 }, () => contentsOf(key)));
      expect(new Set(await Promise.all(reads))).toEqual(new Set([key]));
      await keeping;
    }
  });

  it('leaves nothing when its source fails, and passes the error on', async () => {
    const gone = new Error('the client went away');
    async function* failing(...parts: readonly Buffer[]) {
      yield* pieces(...parts);
      throw gone;
    }
    await expect(store.write('b-1', failing())).rejects.toBe(gone);
    await expect(store.write('b-2', failing(large, large))).rejects.toBe(gone);
    await setTimeout(20);
    expect(await store.read('b-1')).toBeUndefined();
    expect(await store.read('b-2')).toBeUndefined();
    expect(await store.unsettled(0)).toEqual([]);
    await store.write('b-2', pieces('another try'));
    expect(await contentsOf('b-2')).toBe('another try');
  });

  it('keeps twice what is kept once, and nothing that is missing', async () => {
    await store.write('b-1', pieces('one'));
    await store.keep('b-1');
    await store.keep('b-1');
    await store.keep('b-2');
    expect(await contentsOf('b-1')).toBe('one');
    expect(await store.read('b-2')).toBeUndefined();
  });

  it('discards what is unsettled, kept, missing or discarded already', async () => {
    await store.write('b-1', pieces('one'));
    await store.write('b-2', pieces('two'));
    await store.keep('b-2');
    for (const key of ['b-1', 'b-2', 'b-3', 'b-1']) {
      await store.discard(key);
      expect(await store.read(key)).toBeUndefined();
    }
    await setTimeout(20);
    expect(await store.unsettled(0)).toEqual([]);
  });

  it('lists the attempts nobody settled, finished or not, once they are old enough', async () => {
    expect(await store.unsettled(0)).toEqual([]);
    let finish: () => void = () => undefined;
    const halted = new Promise<void>((resolve) => {
      finish = resolve;
    });
    async function* slow() {
      yield Buffer.from('first half');
      await halted;
      yield Buffer.from('second half');
    }
    for (const key of ['b-done', 'b-kept', 'b-discarded']) await store.write(key, pieces(key));
    const writing = store.write('b-slow', slow());
    await store.keep('b-kept');
    await store.discard('b-discarded');
    await setTimeout(2_500);
    await store.write('b-young', pieces('x'));
    await setTimeout(20);
    expect([...(await store.unsettled(2))].sort()).toEqual(['b-done', 'b-slow']);
    expect([...(await store.unsettled(0))].sort()).toEqual(['b-done', 'b-slow', 'b-young']);
    expect(await store.unsettled(60)).toEqual([]);
    finish();
    await writing;
    expect([...(await store.unsettled(2))].sort()).toEqual(['b-done', 'b-slow']);
    await store.keep('b-slow');
    expect(await contentsOf('b-slow')).toBe('first halfsecond half');
    expect(await store.unsettled(2)).toEqual(['b-done']);
  });

  it.each(['../escape', '..', '.', '', 'a/b', '/etc/passwd', 'a.b', 'a\0b', 'ä', 'a b', 'a\n'])(
    'refuses %j as a key, whatever is asked of it',
    async (key) => {
      let read = false;
      async function* noticing() {
        read = true;
        yield Buffer.from('x');
      }
      const words = 'a bundle key is letters, digits, dashes and underscores';
      await expect(store.write(key, noticing())).rejects.toThrow(words);
      await expect(store.read(key)).rejects.toThrow(words);
      await expect(store.keep(key)).rejects.toThrow(words);
      await expect(store.discard(key)).rejects.toThrow(words);
      expect(read).toBe(false);
    },
  );
});

describe('the file bundle store', () => {
  const everythingIn = async (directory: string) => (await readdir(directory, { recursive: true })).sort();

  it('moves a bundle out of the way of the sweep when it is kept', async () => {
    const directory = await freshDirectory();
    const store = new FileBundleStore(directory);
    await store.write('b-abc', pieces('one'));
    expect(await everythingIn(directory)).toEqual(['incoming', 'incoming/b-abc']);
    await store.keep('b-abc');
    expect(await everythingIn(directory)).toEqual(['incoming', 'kept', 'kept/bc', 'kept/bc/b-abc']);
    await store.discard('b-abc');
    expect(await everythingIn(directory)).toEqual(['incoming', 'kept', 'kept/bc']);
  });

  it('lets nobody else read what it holds', async () => {
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
    await setTimeout(20);
    const after = new FileBundleStore(directory);
    expect(await gathered(await after.read('b-1'))).toBe('one');
    expect(await after.unsettled(0)).toEqual(['b-2']);
  });

  it('leaves files alone that are none of its own', async () => {
    const directory = await freshDirectory();
    const store = new FileBundleStore(directory);
    await store.write('b-1', pieces('one'));
    await writeFile(join(directory, 'incoming', '.nfs0001'), 'x');
    await setTimeout(20);
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
