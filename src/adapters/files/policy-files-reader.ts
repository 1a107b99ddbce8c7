import { type Block, BlockFault, type PolicyFiles } from '../../domain/index.js';
import { configurationFiles, isRego } from '../../domain/supporting/policies/policy-files.js';
import { readBlocks } from './block-language.js';
import { malformed } from './bundle-faults.js';
import type { TakeContent, TarEntry } from './tar-headers.js';

const longestConfiguration = 256 * 1024;
const wanted: readonly string[] = Object.values(configurationFiles);

/** Collects the files of a policy set while the archive is checked, so that it is unpacked once. */
export class PolicyFilesReader {
  private readonly parts = new Map<string, Uint8Array[]>();
  private regoFiles = 0;

  /** Throws `bundle/malformed` for a configuration that is there twice or, while its content is taken, too long. */
  take({ kind, name: path }: TarEntry): TakeContent | undefined {
    if (kind !== 'file') return undefined;
    const name = path
      .split('/')
      .filter((segment) => segment !== '' && segment !== '.')
      .join('/');
    if (isRego(name)) this.regoFiles += 1;
    if (!wanted.includes(name)) return undefined;
    if (this.parts.has(name)) throw malformed(`${name} is in the archive twice`);
    const parts: Uint8Array[] = [];
    this.parts.set(name, parts);
    let length = 0;
    return (part) => {
      length += part.length;
      if (length > longestConfiguration) throw malformed(`${name} is longer than ${longestConfiguration} bytes`);
      parts.push(Uint8Array.from(part));
    };
  }

  /** Call it after the last entry. Throws `bundle/malformed` for a configuration that is not text. */
  files(): PolicyFiles {
    const configurations = new Map(
      Array.from(this.parts, ([name, parts]) => [name, blocksOf(textOf(name, Buffer.concat(parts)))]),
    );
    return { configurations, regoFiles: this.regoFiles };
  }
}

function textOf(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed(`${name} is not UTF-8 text`);
  }
}

/** A fault counts only where the policies are of the kind that the file configures. */
export function blocksOf(text: string): readonly Block[] | BlockFault {
  try {
    return readBlocks(text);
  } catch (error) {
    if (error instanceof BlockFault) return error;
    throw error;
  }
}
