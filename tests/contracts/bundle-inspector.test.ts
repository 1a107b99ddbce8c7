import { createCipheriv, createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { readBlocks } from '../../src/adapters/files/block-language.js';
import { TarBundleInspector } from '../../src/adapters/files/tar-bundle-inspector.js';
import { TarHeaders } from '../../src/adapters/files/tar-headers.js';
import { type DomainError, isDomainError } from '../../src/domain/index.js';
import {
  type ArchiveEntry,
  archiveOf,
  blocksOf,
  endOfTar,
  type ForgedHeader,
  forgedHeader,
  gzipped,
  packed,
  tarOf,
} from '../support/archives.js';
import { fc, runs } from '../support/properties.js';

const mebibyte = 1024 * 1024;
const limits = { maxArchiveBytes: mebibyte, maxUnpackedBytes: 4 * mebibyte, maxArchiveEntries: 50 };
const inspector = new TarBundleInspector(limits);

/** A source that records how much was read and whether its reader stopped it. */
class Source implements AsyncIterable<Uint8Array> {
  given = 0;
  stopped = false;

  constructor(
    private readonly whole: Buffer,
    private readonly chunkBytes: number,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      while (this.given < this.whole.length) {
        // Copied, because an inspection takes over its chunks.
        const chunk = Buffer.from(this.whole.subarray(this.given, this.given + this.chunkBytes));
        this.given += chunk.length;
        yield chunk;
      }
    } finally {
      this.stopped = true;
    }
  }
}

async function gathered(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

const refusedBy = ({ bytes }: { readonly bytes: AsyncIterable<Uint8Array> }): Promise<DomainError> =>
  gathered(bytes).then(
    () => Promise.reject(new Error('it was accepted')),
    (error) => (isDomainError(error) ? error : Promise.reject(error)),
  );

const inspected = (archive: Buffer, chunkBytes = 1000): Promise<Buffer> =>
  gathered(inspector.inspect(new Source(archive, chunkBytes)).bytes);

const malformed = (words: string) => ({ code: 'bundle/malformed', message: expect.stringContaining(words) });

const acceptsTar = async (tar: Buffer): Promise<void> => {
  const archive = await gzipped(tar);
  expect((await inspected(archive)).equals(archive)).toBe(true);
};

const refusesTar = async (tar: Buffer, words: string): Promise<void> => {
  await expect(inspected(await gzipped(tar))).rejects.toMatchObject(malformed(words));
};

const accepts = async (...entries: ArchiveEntry[]): Promise<void> => acceptsTar(await tarOf(entries));

const refuses = async (words: string, ...entries: ArchiveEntry[]): Promise<void> =>
  refusesTar(await tarOf(entries), words);

const file = (name: string, body = 'x'): ArchiveEntry => ({ header: { name }, body });
const directory = (name: string): ArchiveEntry => ({ header: { name, type: 'directory' } });
const symlink = (name: string, linkname: string): ArchiveEntry => ({ header: { name, linkname, type: 'symlink' } });
const hardLink = (name: string, linkname: string): ArchiveEntry => ({ header: { name, linkname, type: 'link' } });

const paxRecord = (key: string, value: string): string => {
  const rest = ` ${key}=${value}\n`;
  const length = [1, 2, 3, 4]
    .map((digits) => Buffer.byteLength(rest) + digits)
    .find((n, at) => `${n}`.length === at + 1);
  return `${length}${rest}`;
};

/** Hand-written headers, each followed by its contents. */
const forged = (...parts: (ForgedHeader & { readonly contents?: string })[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ contents = '', ...given }) => [
      forgedHeader({ size: Buffer.byteLength(contents), ...given }),
      blocksOf(contents),
    ]),
    endOfTar,
  ]);

describe('a good bundle', () => {
  it('passes through byte by byte, and its size and SHA-256 are known then', async () => {
    const archive = await archiveOf({ 'main.tf': 'resource {}', 'modules/a/main.tf': 'x'.repeat(100_000) });
    const inspection = inspector.inspect(new Source(archive, 100));
    expect((await gathered(inspection.bytes)).equals(archive)).toBe(true);
    expect(inspection.facts()).toEqual({
      bytes: archive.length,
      sha256: createHash('sha256').update(archive).digest('hex'),
    });
  });

  it('gives the memory of each chunk back, once the next is asked for, where nothing else is in it', async () => {
    const archive = await gzipped(await tarOf([{ header: { name: 'a' }, body: noise(500_000) }]));
    const alone = Buffer.alloc(archive.length - 1000, archive);
    const shared = archive.subarray(archive.length - 1000);
    const inspection = inspector.inspect(Readable.from([alone, shared]));
    let passed = 0;
    for await (const chunk of inspection.bytes) {
      expect(chunk.length).toBe(passed === 0 ? archive.length - 1000 : 1000);
      passed += chunk.length;
    }
    expect(alone.length).toBe(0);
    expect(shared.length).toBe(1000);
    expect(inspection.facts().sha256).toBe(createHash('sha256').update(archive).digest('hex'));
  });

  it('may come in pieces of any size', async () => {
    const archive = await archiveOf({ 'main.tf': 'resource {}', 'modules/a/main.tf': 'y'.repeat(2000) });
    for (const chunkBytes of [1, 7, 511, 512, 513, 1_000_000]) {
      expect((await inspected(archive, chunkBytes)).equals(archive)).toBe(true);
    }
  });

  it('may hold files, directories and its own root', () =>
    accepts(directory('./'), directory('a/'), file('./a/b.tf'), file('a//c.tf'), file('empty', '')));

  it('may hold contiguous files', () => accepts({ header: { name: 'a', type: 'contiguous-file' }, body: 'x' }));

  it('may hold names beyond the room of a plain header', () =>
    accepts(file(`${'long/'.repeat(100)}name.tf`), file('ünïcödé.tf'), symlink('s', `${'deep/'.repeat(60)}x`)));

  it('may hold names beyond the room of a plain header the way GNU writes them', () =>
    acceptsTar(
      forged(
        { name: '././@LongLink', flag: 'K', magic: 'ustar  \0', contents: 'target/'.repeat(30) },
        { name: '././@LongLink', flag: 'L', magic: 'ustar  \0', contents: 'name/'.repeat(30) },
        { name: 'name', flag: '2', magic: 'ustar  \0', target: 'target' },
      ),
    ));

  it('may hold a global header', () =>
    acceptsTar(
      forged({ name: 'pax_global_header', flag: 'g', contents: paxRecord('comment', 'a commit') }, { name: 'main.tf' }),
    ));

  it('may hold a size in binary, and one in an extended header', async () => {
    await acceptsTar(
      Buffer.concat([
        forgedHeader({ name: 'a', size: '\x80\0\0\0\0\0\0\0\0\0\0\x03' }),
        blocksOf('abc'),
        forgedHeader({ name: 'pax', flag: 'x', size: 9 }),
        blocksOf(paxRecord('size', '3')),
        forgedHeader({ name: 'b' }),
        blocksOf('abc'),
        endOfTar,
      ]),
    );
  });

  it('may hold nothing at all', () => accepts());

  it('may lack the end of its tar', async () => {
    const tar = await tarOf([file('main.tf')]);
    await acceptsTar(tar.subarray(0, -1024));
  });

  it('may be made of several gzip members', async () => {
    const tar = await tarOf([file('main.tf', 'z'.repeat(3000)), file('b.tf')]);
    const members = [tar.subarray(0, 700), tar.subarray(700, 2048), Buffer.alloc(0), tar.subarray(2048)];
    const archive = Buffer.concat(await Promise.all(members.map(gzipped)));
    for (const chunkBytes of [10, 10_000]) {
      expect((await inspected(archive, chunkBytes)).equals(archive)).toBe(true);
    }
  });

  it('is taken no faster than it is asked for', async () => {
    const archive = await gzipped(await tarOf([{ header: { name: 'a' }, body: noise(500_000) }]));
    const source = new Source(archive, 10_000);
    let taken = 0;
    for await (const chunk of inspector.inspect(source).bytes) {
      taken += chunk.length;
      await setImmediate();
      expect(source.given - taken).toBeLessThanOrEqual(10_000);
    }
    expect(taken).toBe(archive.length);
  });
});

describe('symbolic links', () => {
  it('may lead to anything in the archive, also what is not there yet', () =>
    accepts(
      symlink('a', 'b'),
      file('b'),
      symlink('c/d/e', '../../b'),
      symlink('c/f', './d//e'),
      symlink('c/root', '..'),
      symlink('modules/x/shared', '../../shared/'),
      symlink('dangling', 'nowhere/at/all'),
    ));

  it('may not be absolute', () => refuses('is an absolute path', symlink('a', '/etc/passwd')));

  it('may not lead above the root', async () => {
    await refuses('is outside the archive', symlink('a', '..'));
    await refuses('is outside the archive', symlink('a/b', '../../x'));
    await refuses('is outside the archive', symlink('a/./b', './../.././x'));
    await refuses('is outside the archive', symlink('./b', '../x'));
  });

  it('may climb only at the beginning of their target', async () => {
    await refuses('has ".." after its beginning', symlink('a/b/c', 'd/../../../x'));
    await refuses('has ".." after its beginning', symlink('a/b/c', '../d/..'));
  });

  it('may not lead nowhere, nor to a name with a NUL', async () => {
    await refusesTar(forged({ name: 'a', flag: '2' }), 'has no name');
    await refusesTar(
      forged({ name: 'pax', flag: 'x', contents: paxRecord('linkpath', 'b\0c') }, { name: 'a', flag: '2' }),
      'has a NUL',
    );
  });

  it('may not be run through, be the link good or not', async () => {
    const through = 'goes through a symbolic link';
    await refuses(through, directory('b'), symlink('a', 'b'), file('a/evil'));
    await refuses(through, symlink('a', 'b'), file('./a//evil'));
    await refuses(through, symlink('a', '.'), symlink('a/b', '..'));
    await refuses(through, symlink('x/a', '..'), directory('x/a/b/'));
    await refuses(through, symlink('a', 'b'), file('a'));
    await refuses(through, symlink('a', 'b'), symlink('a', 'c'));
    await refuses(through, symlink('a', 'b'), directory('a'));
    await refuses(through, symlink('a', 'b'), file('f'), hardLink('a/x', 'f'));
  });

  it('may not be run through on a file system that takes two names for one', async () => {
    await refuses('goes through a symbolic link', symlink('Link', 'b'), file('lINK/x'));
    await refuses('goes through a symbolic link', symlink('é', 'b'), file('e\u0301/x'));
  });

  it('cannot climb step by step', async () => {
    await refuses('goes through', symlink('a/b/c', '../..'), symlink('a/b/c/d', '../../..'));
    await refuses('after its beginning', symlink('a/b', '..'), symlink('c', 'a/b/..'));
    await refuses('outside', directory('a/b/'), symlink('up', 'a/b'), symlink('x', '../up'));
  });

  it('may not take the place of a directory that is in use', async () => {
    const otherwise = 'earlier entries use the same path';
    await refuses(otherwise, directory('a/'), symlink('a', 'b'));
    await refuses(otherwise, file('a/b/c'), symlink('a', 'd'));
    await refuses(otherwise, file('A/b'), symlink('a', 'd'));
    await refuses(otherwise, symlink('a/b/c', 'd'), symlink('a/b', 'e'));
  });

  it('may not take the place of the root', async () => {
    await refuses('root directory', symlink('.', 'a'));
    await refuses('root directory', file('.'));
  });
});

describe('hard links', () => {
  it('may lead to a file', () => accepts(file('a/b'), hardLink('c', 'a/b'), hardLink('d/e', './a/b')));

  it('may not lead out of the archive', async () => {
    await refuses('is an absolute path', hardLink('a', '/etc/passwd'));
    await refuses('leaves the archive', hardLink('a/b', '../x'));
    await refuses('leaves the archive', hardLink('a/b', 'c/../../x'));
  });

  it('may not lead to a symbolic link, nor through one', async () => {
    await refuses('goes through a symbolic link', symlink('a/b/c', '../..'), hardLink('d', 'a/b/c'));
    await refuses('goes through a symbolic link', symlink('a', 'b'), hardLink('c', 'a/x'));
  });

  it('may not lead to what becomes a symbolic link later', () =>
    refuses('earlier entries use the same path', hardLink('d', 'a/b/c'), symlink('a/b/c', '../..')));

  it('may not lead nowhere', () => refusesTar(forged({ name: 'a', flag: '1' }), 'has no name'));
});

describe('names', () => {
  it('may not be absolute', () => refuses('"/etc/passwd" is an absolute path', file('/etc/passwd')));

  it('may not climb', async () => {
    await refuses('leaves the archive', file('../x'));
    await refuses('leaves the archive', file('a/../b'));
    await refuses('leaves the archive', directory('a/..'));
    await refuses('leaves the archive', symlink('../a', 'b'));
  });

  it('may hold dots that climb nowhere', () => accepts(file('..a/b..'), file('...')));

  it('may not be empty, hold a NUL or be endless', async () => {
    await refusesTar(forged({ name: '' }), 'has no name');
    await refusesTar(forged({ name: 'p', flag: 'x', contents: paxRecord('path', 'a\0b') }, { name: 'a' }), 'NUL');
    await accepts(file('n'.repeat(4096)));
    await refuses('longer than 4096', file('n'.repeat(4097)));
  });

  it('may not be too many to be remembered', async () => {
    const roomy = new TarBundleInspector({ ...limits, maxUnpackedBytes: 2 ** 30, maxArchiveEntries: 1_000_000 });
    const names = Array.from({ length: 30_000 }, (_, at) => `${at}`.padEnd(90, '-'));
    const headers = names.map((name) => forgedHeader({ name, flag: '5' }));
    const source = new Source(await gzipped(Buffer.concat(headers)), 64 * 1024);
    await expect(gathered(roomy.inspect(source).bytes)).rejects.toMatchObject(malformed('too many directories'));
  });
});

describe('other kinds of entries', () => {
  it.each(['character-device', 'block-device'] as const)('refuses a %s', (type) =>
    refuses('the entry "dev" is a device', { header: { name: 'dev', type } }),
  );

  it('refuses a fifo', () => refuses('the entry "pipe" is a fifo', { header: { name: 'pipe', type: 'fifo' } }));

  it('refuses types it does not know', async () => {
    for (const flag of ['S', 'V', 'D', 'M', 'X', 'N', '8', 'z']) {
      await refusesTar(forged({ name: 'a', flag }), `is of the unknown type "${flag}"`);
    }
  });

  it('refuses sparse files in disguise', () =>
    refusesTar(
      forged({ name: 'p', flag: 'x', contents: paxRecord('GNU.sparse.name', '../evil') }, { name: 'good' }),
      'sparse',
    ));
});

describe('a tar that programs would read in different ways', () => {
  it('is refused when a link or a directory has contents', async () => {
    const hidden = forged({ name: '../evil' }).toString('latin1', 0, 512);
    await refusesTar(forged({ name: 'a', flag: '1', target: 'b', contents: hidden }), 'a hard link with contents');
    await refusesTar(forged({ name: 'a', flag: '2', target: 'b', contents: hidden }), 'a symbolic link with contents');
    await refusesTar(forged({ name: 'a/', flag: '5', contents: hidden }), 'a directory with contents');
    await refusesTar(forged({ name: 'a/', flag: '0', contents: hidden }), 'a directory with contents');
    const long = { name: 'L', flag: 'L', contents: 'a' };
    await refusesTar(forged(long, { name: 'a/', flag: '\0', contents: hidden }), 'a directory with contents');
    await acceptsTar(forged(long, { name: 'a/', flag: '0', contents: 'cut short at a slash' }));
  });

  it('is refused when an entry is named twice', async () => {
    const long = { name: 'L', flag: 'L', contents: '../evil' };
    const pax = { name: 'p', flag: 'x', contents: paxRecord('path', 'good') };
    const other = { name: 'p', flag: 'x', contents: paxRecord('comment', 'none') };
    const global = { name: 'g', flag: 'g', contents: paxRecord('comment', 'none') };
    const end = { name: 'short' };
    await refusesTar(forged(long, pax, end), 'repeated');
    await refusesTar(forged(pax, long, end), 'repeated');
    await refusesTar(forged(long, long, end), 'more than one extended header');
    await refusesTar(forged(pax, other, end), 'more than one extended header');
    await refusesTar(forged(pax, global, end), 'more than one extended header');
    await refusesTar(forged({ ...pax, contents: paxRecord('path', 'a') + paxRecord('path', 'b') }, end), 'repeated');
    await refusesTar(forged({ ...pax, contents: paxRecord('path', '') }, end), 'with an empty');
  });

  it('is refused when a global header names entries', async () => {
    for (const key of ['path', 'linkpath', 'size']) {
      await refusesTar(forged({ name: 'g', flag: 'g', contents: paxRecord(key, '1') }, { name: 'a' }), 'global header');
    }
  });

  it('is refused when a number is unclear', async () => {
    for (const size of ['\0\0 00001000', '0000000010x', '12 34', '-0000000001', '\xff'.repeat(12), '\x81\0\0\0\0']) {
      await refusesTar(forged({ name: 'a', size }), 'no header at byte 0');
    }
    for (const size of ['', '-1', '1e3', ' 1', '9'.repeat(20)]) {
      const pax = { name: 'p', flag: 'x', contents: paxRecord('size', size) };
      await refusesTar(forged(pax, { name: 'a' }), size === '' ? 'with an empty' : 'has an invalid size');
    }
  });

  it('is refused when its extended headers are damaged', async () => {
    for (const contents of [
      '5 a=b',
      '99 a=b\n',
      '0 a=b\n',
      'x a=b\n',
      '7 path\n',
      '6 =ab\n',
      'none',
      '3 a=b\n',
      '-6 a=b\n',
    ]) {
      await refusesTar(forged({ name: 'p', flag: 'x', contents }, { name: 'a' }), 'damaged extended header');
    }
    await refusesTar(forged({ name: 'p', flag: 'x' }, { name: 'a' }), 'extended header of 0 bytes');
    await refusesTar(forged({ name: 'L', flag: 'L', contents: '\0' }, { name: 'a' }), 'with an empty');
    await refusesTar(forged({ name: 'p', flag: 'x', size: 2 * mebibyte }, { name: 'a' }), 'of 2097152 bytes');
  });

  it('is refused in old formats', async () => {
    const unknown = 'unknown format at byte 0';
    await refusesTar(forged({ name: 'a', magic: '\0'.repeat(8) }), unknown);
    await refusesTar(forged({ name: 'a', trailer: 'tar\0' }), unknown);
    await refusesTar(forged({ name: 'a', magic: 'ustar  \0', prefix: '../b' }), unknown);
  });

  it('is refused when it goes on after its end', async () => {
    const [first, second] = [await tarOf([file('a')]), await tarOf([file('../b')])];
    await refusesTar(Buffer.concat([first, second]), `has data after its end, at byte ${first.length}`);
    await acceptsTar(Buffer.concat([first, Buffer.alloc(10_240)]));
  });
});

describe('input that is not a bundle', () => {
  it('refuses an empty body', () =>
    expect(inspected(Buffer.alloc(0))).rejects.toMatchObject(malformed('the archive is empty')));

  it('refuses plain text', () =>
    expect(inspected(Buffer.from('resource "a" "b" {}'))).rejects.toMatchObject(malformed('not gzip')));

  it('refuses a zip, whatever the sizes of the chunks', async () => {
    const zip = Buffer.from('504b03040a00000000', 'hex');
    await expect(inspected(zip)).rejects.toMatchObject(malformed('is a zip file'));
    await expect(inspected(zip, 1)).rejects.toMatchObject(malformed('is a zip file'));
  });

  it('refuses a tar that is not compressed', async () =>
    expect(inspected(await tarOf([file('a')]))).rejects.toMatchObject(malformed('not gzip')));

  it('refuses gzip that unpacks to nothing, or to less than one block', async () => {
    await refusesTar(Buffer.alloc(0), 'unpacks to zero bytes');
    await refusesTar(Buffer.alloc(511), 'ends in the middle');
    await acceptsTar(Buffer.alloc(512));
  });

  it('refuses gzip that is not a tar', () =>
    refusesTar(Buffer.from('text '.repeat(500)), 'not a tar or is damaged: no header at byte 0'));

  it('refuses a header whose checksum is wrong, and says where', async () => {
    const tar = await tarOf([file('a'), file('b')]);
    tar[1024] = 0x63;
    await refusesTar(tar, 'no header at byte 1024');
  });

  it('refuses a tar that was cut off before it was compressed', async () => {
    const tar = await tarOf([file('a', 'x'.repeat(1000)), file(`${'long/'.repeat(60)}b`)]);
    for (const length of [100, 600, 1024, 1535, 2000]) {
      await refusesTar(tar.subarray(0, length), 'ends in the middle');
    }
  });

  it('refuses anything after the gzip data', async () => {
    const archive = await archiveOf({ 'main.tf': 'x' });
    for (const garbage of [Buffer.alloc(1), Buffer.alloc(5000), Buffer.from('junk'), Buffer.from([0x1f, 0x8b])]) {
      for (const chunkBytes of [50, archive.length, 100_000]) {
        const bytes = Buffer.concat([archive, garbage]);
        await expect(inspected(bytes, chunkBytes)).rejects.toMatchObject({ code: 'bundle/malformed' });
      }
    }
    const hidden = Buffer.concat([archive, Buffer.alloc(100), archive]);
    for (const chunkBytes of [50, archive.length, 100_000]) {
      await expect(inspected(hidden, chunkBytes)).rejects.toMatchObject(
        malformed('has data after the end of its gzip stream'),
      );
    }
  });

  it('never hangs, crashes or lets changed contents pass, wherever it is cut and whatever byte is changed', async () => {
    const archive = await packed([
      directory('a/'),
      file(`${'long/'.repeat(30)}main.tf`, 'x'.repeat(2000)),
      symlink('b', 'a'),
      file('noise', noise(700).toString('hex')),
    ]);
    const within = fc.nat(archive.length - 1);
    const damage = fc.record({
      cut: fc.option(within),
      changes: fc.array(fc.tuple(within, fc.integer({ min: 1, max: 255 })), { maxLength: 3 }),
      chunkBytes: fc.integer({ min: 1, max: archive.length }),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ cut, changes, chunkBytes }) => {
        const bytes = Buffer.from(archive.subarray(0, cut ?? archive.length));
        for (const [at, by] of changes) if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ by;
        const outcome = await inspected(bytes, chunkBytes).catch((error: unknown) => error);
        if (Buffer.isBuffer(outcome)) expect(outcome.equals(bytes)).toBe(true);
        else expect(isDomainError(outcome) && outcome.code).toMatch(/^bundle\/(malformed|over-limit)$/);
        if (cut !== null) expect(Buffer.isBuffer(outcome)).toBe(false);
      }),
      { numRuns: runs(400) },
    );
  });

  it('is refused at every single place it could be cut', async () => {
    const archive = await archiveOf({ 'main.tf': 'resource {}', 'b/c.tf': 'x' });
    for (let length = 0; length < archive.length; length += 1) {
      await expect(inspected(archive.subarray(0, length))).rejects.toMatchObject({ code: 'bundle/malformed' });
    }
  });
});

describe('limits', () => {
  const overLimit = (message: string) => ({ code: 'bundle/over-limit', message });

  it('stops at MAX_ARCHIVE_BYTES', async () => {
    const source = new Source(
      await gzipped(await tarOf([{ header: { name: 'a' }, body: noise(2 * mebibyte) }])),
      10_000,
    );
    await expect(gathered(inspector.inspect(source).bytes)).rejects.toMatchObject(
      overLimit('the archive is larger than MAX_ARCHIVE_BYTES allows (1048576)'),
    );
    expect(source.given).toBeLessThanOrEqual(mebibyte + 10_000);
  });

  it('stops above MAX_ARCHIVE_ENTRIES, and accepts exactly that number', async () => {
    const names = Array.from({ length: 50 }, (_, at) => `file-${at}`);
    await accepts(...names.map((name) => file(name)));
    const archive = await packed([...names, 'one-more'].map((name) => file(name)));
    await expect(inspected(archive)).rejects.toMatchObject(
      overLimit('the archive has more entries than MAX_ARCHIVE_ENTRIES allows (50)'),
    );
  });

  it('stops above MAX_UNPACKED_BYTES, and accepts exactly that number', async () => {
    const [header, contents] = [512, 4 * mebibyte - 512 - 1024];
    const body = Buffer.alloc(contents);
    const tar = await tarOf([{ header: { name: 'a' }, body }]);
    expect(tar.length).toBe(header + contents + 1024);
    await acceptsTar(tar);
    await expect(inspected(await gzipped(Buffer.concat([tar, Buffer.alloc(1)])))).rejects.toMatchObject(
      overLimit('the archive unpacks to more than MAX_UNPACKED_BYTES allows (4194304)'),
    );
  });

  it('stops above 32 MiB of extended headers', async () => {
    const contents = paxRecord('comment', 'x'.repeat(9000)).repeat(116);
    const extension = await gzipped(
      Buffer.concat([forgedHeader({ name: 'pax', flag: 'x', size: contents.length }), blocksOf(contents)]),
    );
    const entries = await Promise.all(
      Array.from({ length: 33 }, async (_, at) =>
        Buffer.concat([extension, await gzipped(forgedHeader({ name: `file-${at}`, size: 0 }))]),
      ),
    );
    const roomy = new TarBundleInspector({ ...limits, maxUnpackedBytes: 2 ** 30 });
    const end = await gzipped(endOfTar);
    const inspection = (count: number) =>
      roomy.inspect(new Source(Buffer.concat([...entries.slice(0, count), end]), 10_000));
    await gathered(inspection(32).bytes);
    const { message } = await refusedBy(inspection(33));
    expect(message).toContain('more than 33554432 bytes of extended headers');
  });

  it('stops a bomb of a gigabyte long before it is unpacked', async () => {
    const zeros = await gzipped(Buffer.alloc(16 * mebibyte));
    const header = await gzipped(forgedHeader({ name: 'zeros', size: 2 ** 30 }));
    const bomb = Buffer.concat([header, ...Array.from({ length: 64 }, () => zeros)]);
    const roomy = new TarBundleInspector({ ...limits, maxArchiveBytes: 10 * mebibyte });
    for (const chunkBytes of [16 * 1024, bomb.length]) {
      const source = new Source(bomb, chunkBytes);
      await expect(gathered(roomy.inspect(source).bytes)).rejects.toMatchObject({ code: 'bundle/over-limit' });
      expect(source.given).toBeLessThan(Math.max(bomb.length / 2, chunkBytes + 1));
      expect(source.stopped).toBe(true);
    }
  });

  it('holds for the digest as well, which looks at bytes only', async () => {
    const text = Buffer.from('no archive at all');
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(await inspector.digest(new Source(text, 3))).toEqual({ bytes: text.length, sha256 });
    const source = new Source(Buffer.alloc(3 * mebibyte), 100_000);
    await expect(inspector.digest(source)).rejects.toMatchObject(
      overLimit('the archive is larger than MAX_ARCHIVE_BYTES allows (1048576)'),
    );
    expect(source.stopped).toBe(true);
  });
});

describe('an inspection that is broken off', () => {
  const noisy = async () => gzipped(await tarOf([{ header: { name: 'a' }, body: noise(500_000) }]));

  /** Its remaining system work ends before another inspection's; an error from it would fail the test. */
  const nothingIsLeft = (archive: Buffer) => gathered(inspector.inspect(new Source(archive, 100_000)).bytes);

  it('knows nothing of a bundle it has not seen the end of', async () => {
    const inspection = inspector.inspect(new Source(await noisy(), 1000));
    expect(() => inspection.facts()).toThrow('not read to the end');
    for await (const _ of inspection.bytes) break;
    expect(() => inspection.facts()).toThrow('not read to the end');
  });

  it('stops its source when its reader stops', async () => {
    const archive = await noisy();
    for (const chunkBytes of [1000, 100_000]) {
      const source = new Source(archive, chunkBytes);
      for await (const _ of inspector.inspect(source).bytes) break;
      expect(source.stopped).toBe(true);
    }
    await nothingIsLeft(archive);
  });

  it('stops its source at the first fault', async () => {
    const source = new Source(Buffer.concat([await noisy(), Buffer.alloc(500_000)]).fill('x', 5000, 6000), 1000);
    await expect(gathered(inspector.inspect(source).bytes)).rejects.toMatchObject({ code: 'bundle/malformed' });
    expect(source.stopped).toBe(true);
  });

  it('passes on the error of its source, as it is', async () => {
    const archive = await noisy();
    const gone = new Error('the client went away');
    async function* leaving() {
      yield* new Source(archive.subarray(0, 200_000), 50_000);
      throw gone;
    }
    await expect(gathered(inspector.inspect(leaving()).bytes)).rejects.toBe(gone);
    await expect(inspector.digest(leaving())).rejects.toBe(gone);
    await nothingIsLeft(archive);
  });
});

/** Incompressible bytes, the same each time. */
function noise(length: number): Buffer {
  return createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(length));
}

describe('bytes of any kind', () => {
  it('pass as they are, and are measured', async () => {
    const text = Buffer.from('no archive, and longer than any archive may be'.repeat(40_000));
    const { bytes, facts } = inspector.measure(new Source(text, 65_536));
    expect(facts).toThrow('not read to the end');
    expect((await gathered(bytes)).equals(text)).toBe(true);
    const digest = (algorithm: string) => createHash(algorithm).update(text).digest('hex');
    for (const _ of [1, 2])
      expect(facts()).toEqual({ bytes: text.length, sha256: digest('sha256'), md5: digest('md5') });
  });

  it('are let go of when no more is wanted', async () => {
    const source = new Source(Buffer.alloc(1000), 10);
    for await (const _ of inspector.measure(source).bytes) break;
    expect(source).toMatchObject({ given: 10, stopped: true });
  });
});

describe('the files of a policy set', () => {
  it('are read while the archive is checked, which reads every byte once', async () => {
    const hcl = 'policy "a" { query = "data.a" }';
    const tests = { 'a_test.rego': 'package a', 'deep/policies.hcl': 'another' };
    const archive = await archiveOf({ './policies.hcl': hcl, 'a.rego': 'package a', ...tests });
    for (const size of [1, 100, archive.length]) {
      const source = new Source(archive, size);
      const inspection = inspector.inspectPolicies(source);
      expect((await gathered(inspection.bytes)).equals(archive)).toBe(true);
      expect(inspection.files()).toEqual({
        configurations: new Map([['policies.hcl', readBlocks(hcl)]]),
        regoFiles: 1,
      });
      expect(source.given).toBe(archive.length);
    }
  });

  it('unpack to 64 MiB at most, where other archives may unpack to more', async () => {
    const zeros = await gzipped(Buffer.alloc(16 * mebibyte));
    const header = await gzipped(forgedHeader({ name: 'zeros', size: 2 ** 30 }));
    const archive = Buffer.concat([header, zeros, zeros, zeros, zeros]);
    const roomy = new TarBundleInspector({ ...limits, maxUnpackedBytes: 2 ** 30 });
    const { code, message } = await refusedBy(roomy.inspectPolicies(new Source(archive, 10_000)));
    expect([code, message]).toEqual(['bundle/over-limit', expect.stringContaining('more than the 67108864 bytes')]);
    expect((await refusedBy(roomy.inspect(new Source(archive, 10_000)))).code).toBe('bundle/malformed');
  });

  it('are passed on once, byte by byte, by the reader of headers', () => {
    const content = Buffer.alloc(1500, 'x');
    const whole = Buffer.concat([
      forgedHeader({ name: 'policies.hcl', size: content.length }),
      content,
      Buffer.alloc(36),
      endOfTar,
    ]);
    for (const size of [1, 511, 512, 513, whole.length]) {
      const parts: Uint8Array[] = [];
      const headers = new TarHeaders(() => (part) => parts.push(Uint8Array.from(part)));
      for (let at = 0; at < whole.length; at += size) headers.push(whole.subarray(at, at + size));
      headers.end();
      expect(Buffer.concat(parts).equals(content)).toBe(true);
    }
  });
});
