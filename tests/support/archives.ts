import { buffer, text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import { extract, type Header, pack } from 'tar-stream';

export interface ArchiveEntry {
  readonly header: Partial<Header> & Pick<Header, 'name'>;
  readonly body?: string | Buffer;
}

/** The entries as a tar, with its end. */
export async function tarOf(entries: readonly ArchiveEntry[]): Promise<Buffer> {
  const tar = pack();
  const whole = buffer(tar);
  for (const { header, body } of entries) {
    await new Promise<void>((resolve, reject) => {
      tar.entry(header, body ?? '', (error) => (error ? reject(error) : resolve()));
    });
  }
  tar.finalize();
  return whole;
}

export const gzipped = (bytes: Buffer): Promise<Buffer> => promisify(gzip)(bytes);

/** The entries as a gzipped tar. */
export const packed = async (entries: readonly ArchiveEntry[]): Promise<Buffer> => gzipped(await tarOf(entries));

/** Files by name, as a bundle that a client would upload. */
export const archiveOf = (files: Readonly<Record<string, string>>): Promise<Buffer> =>
  packed(Object.entries(files).map(([name, body]) => ({ header: { name }, body })));

/** Fields of a header that no packer would write; each is put there as it is given. */
export interface ForgedHeader {
  readonly name: string;
  readonly flag?: string;
  readonly size?: number | string;
  readonly target?: string;
  readonly magic?: string;
  readonly prefix?: string;
  readonly trailer?: string;
}

/** One header block with a right checksum, whatever else is wrong with it. */
export function forgedHeader(given: ForgedHeader): Buffer {
  const { flag = '0', size = 0, magic = 'ustar\x0000', trailer = '' } = given;
  const block = Buffer.alloc(512);
  const put = (at: number, text: string) => block.write(text, at, 'latin1');
  block.write(given.name, 0);
  put(100, '0000644\0');
  put(124, typeof size === 'string' ? size : `${size.toString(8).padStart(11, '0')}\0`);
  put(136, '00000000000\0');
  put(148, ' '.repeat(8));
  put(156, flag);
  put(157, given.target ?? '');
  put(257, magic);
  put(345, given.prefix ?? '');
  put(508, trailer);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, '0')}\0 `);
  return block;
}

/** Contents filled up to whole blocks. */
export const blocksOf = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  return Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
};

export const endOfTar = Buffer.alloc(1024);

export async function gathered(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The entries of a bundle by name: the contents of a file, the target of a link, the type of any other entry. */
export async function filesIn(archive: Buffer): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const tar = extract();
  tar.end(gunzipSync(archive));
  for await (const entry of tar) {
    const { name, type, linkname } = entry.header;
    const contents = await text(entry as unknown as NodeJS.ReadableStream);
    files[name] = type === 'file' ? contents : type === 'symlink' ? `-> ${linkname}` : (type ?? '');
  }
  return files;
}
