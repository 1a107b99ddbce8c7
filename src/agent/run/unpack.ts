import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, lstat, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { RunFailure } from './execution.js';

export interface UnpackLimits {
  readonly bytes: number;
  readonly entries: number;
}

/**
 * Unpacks a `.tar.gz` into an empty directory, and never outside it. The service checked the upload; the agent checks
 * again, to protect its own machine. Throws `RunFailure`.
 */
export async function unpack(file: string, directory: string, limits: UnpackLimits): Promise<void> {
  let bytes = 0;
  let entries = 0;
  const count = (more: number): Error | null => {
    bytes += more;
    const max = `${Math.floor(limits.bytes / 1024 / 1024)} MB (AGENT_UNPACKED_MB)`;
    return bytes > limits.bytes ? refused(`it unpacks to more than ${max}`) : null;
  };
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(count(chunk.length), chunk);
    },
  });
  const tar = extract();
  const unpacking = pipeline(createReadStream(file), createGunzip(), counted, tar);
  // It also fails the loop below, which reports the error.
  unpacking.catch(() => undefined);
  try {
    for await (const entry of tar) {
      entries += 1;
      if (entries > limits.entries) throw refused(`it has more than ${limits.entries} entries`);
      await place(entry.header, entry, directory, count);
      entry.resume();
    }
    await unpacking;
  } catch (error) {
    tar.destroy();
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof RunFailure || code === 'ENOSPC' || code === 'EDQUOT') throw error;
    throw refused(message);
  }
}

const refused = (why: string): RunFailure => new RunFailure(why);

async function place(
  header: Header,
  content: AsyncIterable<unknown>,
  root: string,
  count: (bytes: number) => Error | null,
): Promise<void> {
  const segments = segmentsOf(header.name);
  const name = JSON.stringify(header.name.slice(0, 200));
  if (segments.length === 0) {
    if (header.type === 'directory') return;
    throw refused(`the entry ${name} has no name`);
  }
  await madeParents(root, segments.slice(0, -1), name);
  const path = join(root, ...segments);
  const mode = (header.mode ?? 0o644) & 0o777;
  switch (header.type) {
    case 'directory':
      await madeParents(root, segments, name);
      return;
    case 'file':
    case 'contiguous-file':
      // Does not write through an existing entry or a link.
      await pipeline(content, createWriteStream(path, { flags: 'wx', mode: mode | 0o600 }));
      return;
    case 'symlink':
      await symlink(linkTarget(header.linkname ?? '', segments.length - 1, name), path);
      return;
    case 'link': {
      const target = segmentsOf(header.linkname ?? '');
      await madeParents(root, target.slice(0, -1), name);
      const linked = join(root, ...target);
      const found = await lstat(linked);
      if (!found.isFile()) throw refused(`the hard link ${name} does not point to a file`);
      const beyond = count(found.size);
      if (beyond !== null) throw beyond;
      await copyFile(linked, path, 1);
      return;
    }
    default:
      throw refused(`the entry ${name} is a ${header.type}`);
  }
}

function segmentsOf(name: string): readonly string[] {
  const segments = name.split('/').filter((segment) => segment !== '' && segment !== '.');
  const shown = JSON.stringify(name.slice(0, 200));
  if (name.startsWith('/') || name.includes('\0')) throw refused(`${shown} is not a relative path`);
  if (segments.includes('..')) throw refused(`${shown} leaves it with ".."`);
  return segments;
}

/** Every parent is a directory created here: nothing is written through a link. */
async function madeParents(root: string, segments: readonly string[], name: string): Promise<void> {
  let path = root;
  for (const segment of segments) {
    path = join(path, segment);
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (!(await lstat(path)).isDirectory())
      throw refused(`the path of the entry ${name} goes through something that is not a directory`);
  }
}

/** No entry lies beyond a link, so a target that climbs only at its beginning, and at most its depth, stays inside. */
function linkTarget(target: string, depth: number, name: string): string {
  const segments = target.split('/').filter((segment) => segment !== '' && segment !== '.');
  const climbs = segments.findIndex((segment) => segment !== '..');
  const rest = climbs < 0 ? [] : segments.slice(climbs);
  const outside = target === '' || target.startsWith('/') || segments.length - rest.length > depth;
  if (outside || rest.includes('..') || target.includes('\0')) {
    throw refused(`the link ${name} points outside of it`);
  }
  return target;
}
