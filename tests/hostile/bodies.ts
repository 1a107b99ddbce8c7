import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes a body of a given length. */
const makers = {
  /** One long text. */
  text: (bytes: number) => around('{"data":{"type":"any","attributes":{"name":"', 'a', '"}}}', bytes),
  /** Millions of values of a byte each. */
  zeros: (bytes: number) => around('{"data":[', '0,', '0]}', bytes),
  /** Millions of objects. */
  objects: (bytes: number) => around('{"data":[', '{},', '{}]}', bytes),
  /** Nothing but brackets. */
  brackets: (bytes: number) => Buffer.alloc(bytes, '['),
  /** Not a document at all. */
  noise: (bytes: number) => Buffer.alloc(bytes, 'a'),
} as const;

export type Content = keyof typeof makers;

function around(before: string, part: string, after: string, bytes: number): Buffer {
  const count = Math.floor((bytes - before.length - after.length) / part.length);
  const body = Buffer.concat([Buffer.from(before), Buffer.alloc(count * part.length, part), Buffer.from(after)]);
  return Buffer.concat([body, Buffer.alloc(bytes - body.length, ' ')]);
}

/** Writes a body to a file below `directory`. Returns its path. */
export async function bodyOf(directory: string, content: Content, bytes: number): Promise<string> {
  const file = join(directory, `${content}-${bytes}`);
  await writeFile(file, makers[content](bytes));
  return file;
}
