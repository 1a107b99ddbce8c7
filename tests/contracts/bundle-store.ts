import { createCipheriv } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openBundle } from '../../src/application/files/open-bundle.js';
import type { BundleFound, BundleStore, ByteRange } from '../../src/application/index.js';

export async function* pieces(...parts: readonly (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

export async function gathered(bytes: AsyncIterable<Uint8Array> | undefined): Promise<string | undefined> {
  if (bytes === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

const MiB = 1024 * 1024;

/** Noise that depends only on the seed. */
export function noise(length: number, seed: number): Buffer {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, seed), Buffer.alloc(16));
  return cipher.update(Buffer.alloc(length));
}

export const large = Buffer.alloc(1_000_000, 'all work and no play ');

interface Circumstances {
  /** The number of rounds in which concurrent calls race. */
  readonly rounds?: number;
  /** Advances the store's time; waits where its clock cannot be set. */
  readonly pass?: (milliseconds: number) => Promise<void>;
}

/** The contract of every bundle store. */
export function aBundleStore(
  open: () => Promise<BundleStore>,
  { rounds = 40, pass = setTimeout }: Circumstances = {},
): void {
  describe('keeps the contract of a bundle store', () => {
    let store: BundleStore;
    const contentsOf = async (key: string) => gathered(await store.read(key));
    /** Waits until earlier writes are older than zero seconds by the store's own clock. */
    const pastTheGrain = async () => {
      await store.write('b-marker', pieces('x'));
      while (!(await store.unsettled(0)).includes('b-marker')) await setTimeout(1);
      await store.discard('b-marker');
    };

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

    it('gives back, in ranges too, bundles that stores take in several parts', async () => {
      const huge = Buffer.concat([noise(6 * MiB, 1), noise(5 * MiB, 2), Buffer.from('the end')]);
      await store.write('b-huge', pieces(huge.subarray(0, 5 * MiB), huge.subarray(5 * MiB)));
      await store.write('b-round', pieces(huge.subarray(0, 5 * MiB), huge.subarray(5 * MiB, 10 * MiB)));
      expect(await contentsOf('b-huge')).toBe(huge.toString('latin1'));
      expect(await contentsOf('b-round')).toBe(huge.toString('latin1', 0, 10 * MiB));
      const range = { start: 5 * MiB - 3, end: 5 * MiB + 2 };
      expect(await gathered(await store.read('b-huge', range))).toBe(
        huge.toString('latin1', range.start, range.end + 1),
      );
      await store.discard('b-huge');
      expect(await contentsOf('b-huge')).toBeUndefined();
    });

    it('has used a chunk before it asks for the next', async () => {
      async function* throughOneBuffer() {
        const buffer = Buffer.alloc(large.length);
        for (let letter = 0; letter < 8; letter += 1) yield buffer.fill(97 + letter);
      }
      await store.write('b-1', throughOneBuffer());
      const expected = [...'abcdefgh'].map((letter) => letter.repeat(large.length)).join('');
      expect((await contentsOf('b-1')) === expected).toBe(true);
    });

    it('takes many at once', async () => {
      const keys = Array.from({ length: 20 }, (_, at) => `b-${at}`);
      await Promise.all(keys.map((key) => store.write(key, pieces(key, large))));
      await Promise.all(keys.map((key) => store.keep(key)));
      for (const key of keys) expect(await contentsOf(key)).toBe(key + large.toString('latin1'));
    });

    it('does not find bundles that were never written', async () => {
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

    it('reads the same when the size is given', async () => {
      for (const bytes of [Buffer.from('0123456789'), large]) {
        const key = `b-${bytes.length}`;
        const read = async (range?: ByteRange) => gathered(await store.read(key, range, bytes.length));
        expect(await read()).toBeUndefined();
        await store.write(key, pieces(bytes));
        expect(await read()).toBe(bytes.toString('latin1'));
        await store.keep(key);
        expect(await read()).toBe(bytes.toString('latin1'));
        expect(await read({ start: 3, end: 5 })).toBe(bytes.toString('latin1', 3, 6));
        expect(await read({ start: bytes.length - 2, end: bytes.length + 90 })).toBe(
          bytes.toString('latin1').slice(-2),
        );
        await store.discard(key);
        expect(await read()).toBeUndefined();
      }
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

    it('has opened what is there for the reader, whatever becomes of it', async () => {
      await store.write('b-1', pieces(large));
      const open = () => openBundle(store, { key: 'b-1', bytes: large.length });
      const [opened, left] = [await open(), await open()];
      await left[Symbol.asyncIterator]().return?.();
      await store.discard('b-1');
      expect(await gathered(opened)).toBe(large.toString('latin1'));
      await expect(open()).rejects.toMatchObject({ code: 'resource/not-found' });
    });

    it('finishes a read that was begun before the bundle was discarded', async () => {
      await store.write('b-1', pieces(large));
      await store.keep('b-1');
      const reading = (await store.read('b-1'))?.[Symbol.asyncIterator]();
      let read = (await reading?.next())?.value.length;
      await store.discard('b-1');
      for (let next = await reading?.next(); next && !next.done; next = await reading?.next())
        read += next.value.length;
      expect(read).toBe(large.length);
    });

    it('gives a URL from which any client reads the bundle until it is discarded, or none', async () => {
      await store.write('b-1', pieces('one'));
      const url = await store.temporaryUrl('b-1');
      if (url === undefined) return;
      const answer = await fetch(url);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/octet-stream');
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="configuration.tar.gz"');
      expect(await answer.text()).toBe('one');
      await store.discard('b-1');
      expect((await fetch(url)).status).toBe(404);
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
      for (let at = 0; at < rounds; at += 1) {
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
      await expect(store.write('b-3', failing(...Array(13).fill(large)))).rejects.toBe(gone);
      await pastTheGrain();
      expect(await store.read('b-1')).toBeUndefined();
      expect(await store.read('b-2')).toBeUndefined();
      expect(await store.read('b-3')).toBeUndefined();
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

    it('finds all there are, settled or not, with their sizes', async () => {
      const found = async () => {
        const bundles: BundleFound[] = [];
        for await (const bundle of store.all()) bundles.push(bundle);
        return bundles.sort((a, b) => (a.key < b.key ? -1 : 1));
      };
      expect(await found()).toEqual([]);
      for (const key of ['b-kept', 'b-open', 'b-discarded']) await store.write(key, pieces(key));
      await store.keep('b-kept');
      await store.discard('b-discarded');
      const ageSeconds = expect.any(Number);
      expect(await found()).toEqual([
        { key: 'b-kept', bytes: 6, ageSeconds },
        { key: 'b-open', bytes: 6, ageSeconds },
      ]);
      for (const bundle of await found()) expect(Math.abs(bundle.ageSeconds)).toBeLessThan(10);
    });

    it('discards what is unsettled, kept, missing or discarded already', async () => {
      await store.write('b-1', pieces('one'));
      await store.write('b-2', pieces('two'));
      await store.keep('b-2');
      for (const key of ['b-1', 'b-2', 'b-3', 'b-1']) {
        await store.discard(key);
        expect(await store.read(key)).toBeUndefined();
      }
      await pastTheGrain();
      expect(await store.unsettled(0)).toEqual([]);
    });

    it('lists the unsettled attempts, finished or not, once they are old enough', async () => {
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
      expect(await store.unsettled(60)).toEqual([]);
      // Stores keep time in whole seconds, and a client knows theirs within two, so three of these are certain.
      await pass(5_000);
      expect([...(await store.unsettled(2))].sort()).toEqual(['b-done', 'b-slow']);
      expect([...(await store.unsettled(0))].sort()).toEqual(['b-done', 'b-slow']);
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
}
