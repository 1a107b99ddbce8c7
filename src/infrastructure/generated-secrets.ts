import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes `text` to a new file that only this user may read; the file appears complete or not at all. */
async function writeNew(directory: string, name: string, text: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = join(directory, `.${name}-${randomBytes(8).toString('hex')}`);
  try {
    const file = await open(draft, 'wx', 0o600);
    await file.writeFile(text);
    await file.sync();
    await file.close();
    await link(draft, join(directory, name));
  } finally {
    await rm(draft, { force: true });
  }
}

/** Secrets separated by commas or white space, which generated secrets do not contain. */
export const secretsIn = (text: string): readonly string[] => text.split(/[\s,]+/).filter((secret) => secret !== '');

/** The file of a generated token, from before its user is created until it is handed over. */
export const unclaimedSecret = 'admin-token.new';

/** Writes a secret to a file for the operator, replacing an older one. */
export async function leaveSecret(directory: string, name: string, secret: string): Promise<string> {
  await rm(join(directory, name), { force: true });
  await writeNew(directory, name, `${secret}\n`);
  return join(directory, name);
}

/**
 * The secrets stored in `directory`, newest first; one is generated on first use. Processes that start concurrently
 * agree on it.
 */
export async function keptSecrets(directory: string, name: string): Promise<readonly string[]> {
  const path = join(directory, name);
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  if (kept !== undefined) return secretsIn(kept);
  await writeNew(directory, name, `${randomBytes(48).toString('base64url')}\n`).catch((error) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
  return secretsIn(await readFile(path, 'utf8'));
}
