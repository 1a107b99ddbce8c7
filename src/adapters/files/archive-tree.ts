import { malformed, quoted } from './bundle-faults.js';
import type { TarEntry } from './tar-headers.js';

const longestName = 4096;
/** Far deeper than any real tree; it bounds what judging a name costs. */
const deepestName = 256;

/** The memory for all names together, as a rough count of bytes. */
const memoryAllowed = 8 * 1024 * 1024;
const memoryPerNode = 160;

/** A path that is a symbolic link, or one that must stay none: a directory, or what a hard link leads to. */
interface Node {
  readonly link: boolean;
  children?: Map<string, Node>;
}

/**
 * Judges the entries of an archive in their order, and refuses each that would lead, or let a later one lead, out of
 * the directory the archive is unpacked into.
 *
 * No path runs through a link, so a link lies as deep as its name says; its target climbs at most that deep, and only
 * before it names anything. Following it therefore stays inside, and so does following any link met on the way.
 */
export class ArchiveTree {
  private readonly root: Node = { link: false };
  private memoryUsed = 0;

  add(entry: TarEntry): void {
    const path = pathOf(entry.name, `the entry ${quoted(entry.name)}`);
    if (path.length === 0 && entry.kind !== 'directory') {
      throw malformed(`the entry ${quoted(entry.name)} would replace the root directory of the archive`);
    }
    switch (entry.kind) {
      case 'directory':
        this.directory(path, entry);
        return;
      case 'file':
        this.leaf(path, entry);
        return;
      case 'hard link':
        this.leaf(path, entry);
        this.directory(pathOf(entry.target, `the target of the hard link ${quoted(entry.name)}`), entry);
        return;
      case 'symbolic link':
        checkTarget(entry, path.length - 1);
        this.link(path, entry);
    }
  }

  private directory(path: readonly string[], entry: TarEntry): Node {
    let node = this.root;
    for (const segment of path) node = this.notALink(node.children?.get(segment) ?? this.grow(node, segment), entry);
    return node;
  }

  private leaf(path: readonly string[], entry: TarEntry): Node | undefined {
    const existing = this.directory(path.slice(0, -1), entry).children?.get(path.at(-1) ?? '');
    return existing && this.notALink(existing, entry);
  }

  private link(path: readonly string[], entry: TarEntry): void {
    if (this.leaf(path, entry) !== undefined) {
      throw malformed(
        `the entry ${quoted(entry.name)} is a symbolic link, but earlier entries use the same path for a file or directory`,
      );
    }
    const directory = this.directory(path.slice(0, -1), entry);
    this.grow(directory, path.at(-1) ?? '', true);
  }

  private notALink(node: Node, entry: TarEntry): Node {
    if (!node.link) return node;
    throw malformed(`the path of the entry ${quoted(entry.name)} goes through a symbolic link in the archive`);
  }

  private grow(parent: Node, segment: string, link = false): Node {
    this.memoryUsed += memoryPerNode + 2 * segment.length;
    if (this.memoryUsed > memoryAllowed) {
      throw malformed('the archive has too many directories and links to check');
    }
    const node: Node = { link };
    parent.children ??= new Map();
    parent.children.set(segment, node);
    return node;
  }
}

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '' && segment !== '.');

function checkName(name: string, what: string): void {
  if (name === '') throw malformed(`${what} has no name`);
  if (name.length > longestName) throw malformed(`${what} is longer than ${longestName} characters`);
  if (name.includes('\0')) throw malformed(`${what} has a NUL character in its name`);
  if (name.startsWith('/')) throw malformed(`${what} is an absolute path`);
}

/** Names are compared as the most forgiving file system would: `A/x` may run through the link `a`. */
function pathOf(name: string, what: string): string[] {
  checkName(name, what);
  const segments = segmentsOf(name.normalize('NFC').toLowerCase());
  if (segments.includes('..')) throw malformed(`${what} leaves the archive with ".."`);
  if (segments.length > deepestName) throw malformed(`${what} is more than ${deepestName} directories deep`);
  return segments;
}

function checkTarget({ name, target }: TarEntry, depth: number): void {
  const what = `the target of the symbolic link ${quoted(name)}`;
  checkName(target, what);
  const segments = segmentsOf(target);
  const climbs = segments.findIndex((segment) => segment !== '..');
  const rest = climbs < 0 ? [] : segments.slice(climbs);
  if (segments.length - rest.length > depth) throw malformed(`${what} is outside the archive`);
  if (rest.includes('..')) throw malformed(`${what} has ".." after its beginning`);
}
