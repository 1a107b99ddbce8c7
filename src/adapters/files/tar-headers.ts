import { malformed, quoted } from './bundle-faults.js';

export type TarEntryKind = 'file' | 'directory' | 'symbolic link' | 'hard link';

export interface TarEntry {
  readonly kind: TarEntryKind;
  readonly name: string;
  /** The target of a link; empty for anything else. */
  readonly target: string;
}

/** Takes parts of an entry's content, each lent until it returns. */
export type TakeContent = (part: Uint8Array) => void;

const blockBytes = 512;
const zeroBlock = Buffer.alloc(blockBytes);
/** The largest extended header: one of attributes, not only of a name. */
const longestExtension = 1024 * 1024;
/** All of them together: their records are read one by one, and half a gigabyte of them packs to half a megabyte. */
const longestExtensions = 32 * 1024 * 1024;

/** By type flag. The flags of extended headers are missing: those are not entries. */
const kinds: Readonly<Record<string, TarEntryKind>> = {
  '\0': 'file',
  '0': 'file',
  '1': 'hard link',
  '2': 'symbolic link',
  '5': 'directory',
  '7': 'file',
};

const refusedKinds: Readonly<Record<string, string>> = { '3': 'a device', '4': 'a device', '6': 'a fifo' };

/** The values that extended headers give the next entry, in place of those of its own header. */
interface Overrides {
  path?: string;
  linkpath?: string;
  size?: string;
}

const overridable = new Set(['path', 'linkpath', 'size']);

/** The keys of GNU's two extended headers; those of POSIX name their own. */
const longNames: Readonly<Record<string, keyof Overrides>> = { L: 'path', K: 'linkpath' };

/**
 * Reads the headers of a tar and skips the contents, except those that `onEntry` asks for. Programs read a malformed tar
 * differently, so the program that unpacks it may see other entries than the one that checked it. This reader accepts
 * only what all of them read alike and throws `bundle/malformed` for everything else.
 */
export class TarHeaders {
  private readonly block = Buffer.alloc(blockBytes);
  private gathering = this.block;
  private gathered = 0;
  /** Bytes of contents and padding until the next header. */
  private toSkip = 0;
  /** The bytes among them that are contents. */
  private ofContent = 0;
  private takeContent: TakeContent | undefined;
  /** Bytes of extended headers so far. */
  private extended = 0;
  /** Unpacked bytes so far. */
  private offset = 0;
  private ended = false;
  private extension: { readonly flag: string; readonly size: number } | undefined;
  private overrides: Overrides = {};
  /** The flags of the extended headers before the next entry. */
  private readonly announced = new Set<string>();

  constructor(private readonly onEntry: (entry: TarEntry) => TakeContent | undefined) {}

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const left = chunk.length - at;
      const taken = this.toSkip > 0 ? Math.min(this.toSkip, left) : chunk.copy(this.gathering, this.gathered, at);
      if (this.ofContent > 0) this.passContent(chunk.subarray(at, at + Math.min(taken, this.ofContent)));
      at += taken;
      this.offset += taken;
      if (this.toSkip > 0) {
        this.toSkip -= taken;
      } else {
        this.gathered += taken;
        if (this.gathered === this.gathering.length) this.take(this.gathering);
      }
    }
  }

  end(): void {
    if (this.offset === 0) throw malformed('the archive is not a tar: it unpacks to zero bytes');
    if (this.toSkip + this.gathered + this.announced.size > 0 || this.extension !== undefined) {
      throw malformed('the tar in the archive ends in the middle of an entry');
    }
  }

  private passContent(part: Uint8Array): void {
    this.ofContent -= part.length;
    this.takeContent?.(part);
  }

  private take(whole: Buffer): void {
    this.gathering = this.block;
    this.gathered = 0;
    const announced = this.extension;
    this.extension = undefined;
    if (announced === undefined) this.readHeader(whole);
    else this.readExtension(announced.flag, whole.subarray(0, announced.size));
  }

  private readHeader(block: Buffer): void {
    if (block.equals(zeroBlock)) {
      this.ended = true;
      return;
    }
    const at = this.offset - blockBytes;
    if (this.ended) throw malformed(`the tar in the archive has data after its end, at byte ${at}`);
    const size = numberIn(block.subarray(124, 136));
    if (size === undefined || numberIn(block.subarray(148, 156)) !== checksumOf(block)) {
      throw malformed(`the archive is not a tar or is damaged: no header at byte ${at}`);
    }
    const name = nameIn(block);
    if (name === undefined) throw malformed(`the tar in the archive has a header of an unknown format at byte ${at}`);
    const flag = String.fromCharCode(block[156] ?? 0);
    if ('xgLK'.includes(flag)) this.expectExtension(flag, size);
    else this.readEntry(flag, name, textIn(block.subarray(157, 257)), size);
  }

  private expectExtension(flag: string, size: number): void {
    // Programs differ on which of two counts, and on whether a global header undoes what came before it.
    if (this.announced.has(flag) || (flag === 'g' && this.announced.size > 0)) {
      throw malformed('the tar in the archive has an entry with more than one extended header of the same kind');
    }
    if (size < 1 || size > longestExtension) {
      throw malformed(`the tar in the archive has an extended header of ${size} bytes`);
    }
    this.extended += size;
    if (this.extended > longestExtensions) {
      throw malformed(
        `the tar in the archive has more than ${longestExtensions} bytes of extended headers: pack the files without extended attributes`,
      );
    }
    if (flag !== 'g') this.announced.add(flag);
    this.extension = { flag, size };
    this.gathering = Buffer.allocUnsafe(paddedTo(blockBytes, size));
  }

  private readExtension(flag: string, payload: Buffer): void {
    const given = longNames[flag];
    for (const [key, value] of given === undefined ? recordsIn(payload) : [[given, textIn(payload)] as const]) {
      if (key.startsWith('GNU.sparse.'))
        throw malformed('the tar in the archive contains a sparse file, which is not supported');
      if (!overridable.has(key)) continue;
      if (flag === 'g') throw malformed(`the tar in the archive has a global header that sets "${key}"`);
      this.override(key as keyof Overrides, value);
    }
  }

  private override(field: keyof Overrides, value: string): void {
    if (this.overrides[field] !== undefined || value === '') {
      throw malformed(`the tar in the archive has an extended header with an empty or repeated "${field}"`);
    }
    this.overrides[field] = value;
  }

  private readEntry(flag: string, ownName: string, ownTarget: string, ownSize: number): void {
    const name = this.overrides.path ?? ownName;
    const target = this.overrides.linkpath ?? ownTarget;
    const size = this.overrides.size === undefined ? ownSize : decimal(this.overrides.size);
    this.overrides = {};
    this.announced.clear();
    // For an old file, some programs look for a directory's slash in its own name, and some in the long one.
    const slash = name.endsWith('/') || (flag === '\0' && ownName.endsWith('/'));
    const kind = slash && kinds[flag] === 'file' ? 'directory' : kinds[flag];
    if (kind === undefined) {
      throw malformed(`the entry ${quoted(name)} is ${refusedKinds[flag] ?? `of the unknown type ${quoted(flag)}`}`);
    }
    if (size === undefined) throw malformed(`the entry ${quoted(name)} has an invalid size`);
    // Some programs skip such contents, others read them as further headers.
    if (kind !== 'file' && size > 0) throw malformed(`the entry ${quoted(name)} is a ${kind} with contents`);
    this.toSkip = paddedTo(blockBytes, size);
    this.ofContent = size;
    this.takeContent = this.onEntry({ kind, name, target: kind.endsWith('link') ? target : '' });
  }
}

const paddedTo = (multiple: number, size: number): number => Math.ceil(size / multiple) * multiple;

const textIn = (field: Buffer): string => {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
};

/**
 * Undefined for formats other than POSIX and GNU, and for the data that other formats store at the start of POSIX's
 * name.
 */
function nameIn(block: Buffer): string | undefined {
  const name = textIn(block.subarray(0, 100));
  const prefix = textIn(block.subarray(345, 500));
  const format = block.toString('latin1', 257, 265);
  const posix = format.startsWith('ustar\0') && block.toString('latin1', 508, 512) !== 'tar\0';
  if (prefix === '') return posix || format === 'ustar  \0' ? name : undefined;
  return posix ? `${prefix}/${name}` : undefined;
}

/** Octal digits, with spaces before and spaces or NULs after them; or binary, where octal is too small. */
function numberIn(field: Buffer): number | undefined {
  if (field[0] === 0x80) {
    const number = Number(BigInt(`0x${field.toString('hex', 1)}`));
    return Number.isSafeInteger(number) ? number : undefined;
  }
  const digits = /^ *([0-7]*)[ \0]*$/.exec(field.toString('latin1'))?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits || '0', 8);
}

const decimal = (text: string): number | undefined => (/^[0-9]{1,15}$/.test(text) ? Number(text) : undefined);

/** The sum of all bytes, the checksum's own counted as spaces. */
function checksumOf(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < blockBytes; at += 1) if (at < 148 || at >= 156) sum += block[at] ?? 0;
  return sum;
}

/** The records `<length> <key>=<value>\n` of a pax header. */
function* recordsIn(payload: Buffer): Generator<readonly [key: string, value: string]> {
  for (let start = 0; start < payload.length; ) {
    const space = payload.indexOf(' ', start);
    const length = decimal(payload.toString('latin1', start, Math.max(space, start)));
    const end = start + (length ?? Number.NaN);
    const record = payload.toString('utf8', space + 1, end - 1);
    const equals = record.indexOf('=');
    if (!(end <= payload.length) || payload[end - 1] !== 0x0a || equals < 1) {
      throw malformed('the tar in the archive has a damaged extended header');
    }
    yield [record.slice(0, equals), record.slice(equals + 1)];
    start = end;
  }
}
