import { lstat, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { type Header, pack } from 'tar-stream';
import { forgetFormerRuns, replaceBackend } from '../../src/agent/run/configuration.js';
import { unpack } from '../../src/agent/run/unpack.js';
import { inTemporaryDirectory } from '../support/process.js';

type Entry = Partial<Header> & { readonly name: string; readonly text?: string };

/** Unpacks an archive of these entries; a file without text contains its own name. */
async function unpacked(
  entries: readonly Entry[],
  look: (directory: string) => Promise<void> = async () => undefined,
  limits = { bytes: 1 << 20, entries: 10 },
): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    const tar = pack();
    for (const entry of entries) tar.entry(entry, (entry.type ?? 'file') === 'file' ? (entry.text ?? entry.name) : '');
    tar.finalize();
    const root = join(directory, 'tree');
    await mkdir(root);
    await writeFile(join(directory, 'archive'), gzipSync(await buffer(tar)));
    await unpack(join(directory, 'archive'), root, limits);
    await look(root);
  });
}

describe('an archive', () => {
  it('is unpacked with its modes and its links', async () => {
    await unpacked(
      [
        { name: './', type: 'directory' },
        { name: 'modules/', type: 'directory' },
        { name: 'modules/run.sh', mode: 0o4755 },
        { name: 'main.tf', mode: 0o444 },
        { name: 'modules/link', type: 'symlink', linkname: '../main.tf' },
        { name: 'modules/hard', type: 'link', linkname: 'main.tf' },
        { name: 'never/listed/before.tf' },
      ],
      async (root) => {
        expect(await readFile(join(root, 'modules/link'), 'utf8')).toBe('main.tf');
        expect(await readFile(join(root, 'modules/hard'), 'utf8')).toBe('main.tf');
        expect(await readlink(join(root, 'modules/link'))).toBe('../main.tf');
        expect(await readFile(join(root, 'never/listed/before.tf'), 'utf8')).toBe('never/listed/before.tf');
        expect((await lstat(join(root, 'modules/run.sh'))).mode & 0o7777).toBe(0o755);
        expect((await lstat(join(root, 'main.tf'))).mode & 0o777).toBe(0o644);
      },
    );
  });

  const link = (name: string, linkname: string): Entry => ({ name, type: 'symlink', linkname });

  it.each<[string, Entry[], string]>([
    ['an absolute path', [{ name: '/etc/passwd' }], 'is not a relative path'],
    ['a path that climbs', [{ name: 'a/../../b' }], 'leaves it with'],
    ['a link to an absolute path', [link('a', '/etc/passwd')], 'points outside of it'],
    ['a link that climbs', [link('a/b', '../../c')], 'points outside of it'],
    ['a link that climbs later', [link('a/b/c', 'd/../../../../e')], 'points outside of it'],
    ['a path through a link', [link('a', 'b'), { name: 'a/c' }], 'goes through something that is not a directory'],
    ['a file in the place of a link', [link('a', 'b'), { name: 'a' }], 'EEXIST'],
    ['a hard link out of it', [{ name: 'a', type: 'link', linkname: '../b' }], 'leaves it with'],
    ['a hard link to a link', [link('a', 'b'), { name: 'c', type: 'link', linkname: 'a' }], 'does not point to a file'],
    ['a device', [{ name: 'a', type: 'character-device' }], 'is a character-device'],
    ['a pipe', [{ name: 'a', type: 'fifo' }], 'is a fifo'],
  ])('is refused with %s', async (_, entries, why) => {
    await expect(unpacked(entries)).rejects.toThrow(why);
  });

  it('is refused beyond its limits, and where it is none', async () => {
    const many = Array.from({ length: 11 }, (_, number) => ({ name: `file-${number}` }));
    await expect(unpacked(many)).rejects.toThrow('it has more than 10 entries');
    await expect(unpacked(many, undefined, { bytes: 4096, entries: 100 })).rejects.toThrow('it unpacks to more than');
    // A link costs one header in the archive and its target's size on the disk.
    const copies = Array.from({ length: 9 }, (_, number) => ({
      name: `${number}`,
      type: 'link' as const,
      linkname: 'a',
    }));
    const heavy = [{ name: 'a', text: 'x'.repeat(8192) }, ...copies];
    await expect(unpacked(heavy, undefined, { bytes: 32768, entries: 100 })).rejects.toThrow('it unpacks to more than');
    await inTemporaryDirectory(async (directory) => {
      await writeFile(join(directory, 'archive'), 'no archive');
      const limits = { bytes: 1, entries: 1 };
      await expect(unpack(join(directory, 'archive'), directory, limits)).rejects.toThrow('incorrect header check');
    });
  });
});

describe('the backend of a configuration', () => {
  it('is replaced behind all of them in the order of their bytes', async () => {
    await inTemporaryDirectory(async (directory) => {
      for (const name of ['zzz\u{1f600}_override.tf', 'zzz\u{ff5e}_override.tf'])
        await writeFile(join(directory, name), '');
      await replaceBackend(directory, join(directory, '../state'));
      expect(await readdir(directory)).toContain('zzz\u{1f600}_override_zz_gatehouse_override.tf');
    });
  });

  it.each([
    ['main.tf', 'zz_gatehouse_override.tf'],
    ['override.tf', 'zz_gatehouse_override.tf'],
    ['zzz_override.tf.json', 'zzz_override_zz_gatehouse_override.tf'],
    ['zzz_override.tf', 'zzz_override_zz_gatehouse_override.tf'],
  ])('is replaced behind %s', async (own, expected) => {
    await inTemporaryDirectory(async (directory) => {
      await writeFile(join(directory, own), '{}');
      await replaceBackend(directory, join(directory, '../state'));
      expect([own, expected].sort().at(-1)).toBe(expected);
      const text = await readFile(join(directory, expected), 'utf8');
      expect(text).toContain('path = "../state/terraform.tfstate"');
      expect(text).toContain('workspace_dir = "../state"');
    });
  });
});

describe('what came along with a configuration', () => {
  it('is not used as the state of an apply, and only the modules of another Terraform remain', async () => {
    await inTemporaryDirectory(async (directory) => {
      for (const folder of ['modules', 'providers']) {
        await mkdir(join(directory, '.terraform', folder), { recursive: true });
      }
      await writeFile(join(directory, 'errored.tfstate'), '{}');
      await writeFile(join(directory, 'main.tf'), '');
      await forgetFormerRuns(directory);
      expect((await readdir(directory, { recursive: true })).sort()).toEqual([
        '.terraform',
        '.terraform/modules',
        'main.tf',
      ]);
    });
  });
});
