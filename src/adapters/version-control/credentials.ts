import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fetchFailed } from './fetch-faults.js';
import { liesBelow, readCloneUrl } from './repository-url.js';

export interface Credential {
  /** The URL it may be sent to, including every path under it. */
  readonly prefix: URL;
  readonly username: string;
  readonly password: string;
}

const longestFile = 16 * 1024;
const keys = ['url', 'username', 'password'] as const;
type Key = (typeof keys)[number];

/** Most hosts check only the password, but require some name with it. */
const defaultUsername = 'git';

/** A plain file name, without a path. */
export const isCredentialName = (name: string): boolean =>
  /^[A-Za-z0-9._-]{1,90}$/.test(name) && name !== '.' && name !== '..';

/**
 * The credential of this name, if it may be sent to the repository; throws `repository/fetch-failed` otherwise. Read
 * again each time, so that a changed file takes effect at once.
 */
export async function credentialFor(directory: string | undefined, name: string, cloneUrl: URL): Promise<Credential> {
  if (!isCredentialName(name)) throw fetchFailed('the name of the credential is not valid');
  if (directory === undefined) {
    throw fetchFailed(`there is no credential named "${name}": the server has no credentials configured`);
  }
  const text = await textOf(directory, name);
  if (text === undefined) throw fetchFailed(`there is no credential named "${name}" on the server`);
  const credential = parsed(text);
  if (typeof credential === 'string') throw fetchFailed(`the credential "${name}" is not usable: ${credential}`);
  if (!liesBelow(cloneUrl, credential.prefix)) {
    throw fetchFailed(`the credential "${name}" is not for this repository: its "url" has another address`);
  }
  return credential;
}

/** Undefined when there is no such file. A link is followed only within the directory, as for mounted secrets. */
async function textOf(directory: string, name: string): Promise<string | undefined> {
  try {
    const root = await realpath(directory);
    const path = await realpath(join(root, name));
    if (!path.startsWith(root.endsWith(sep) ? root : root + sep)) return undefined;
    // Does not follow a link created since the check, or block on a pipe.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const about = await file.stat();
      if (!about.isFile()) return undefined;
      if (about.size > longestFile) throw fetchFailed(`the credential "${name}" is not usable: it is too long`);
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENXIO') return undefined;
    if (code === 'EACCES' || code === 'EPERM')
      throw fetchFailed(`the server is not permitted to read the credential "${name}"`);
    throw error;
  }
}

/** The sentences name only keys and line numbers: a line that is not `key=value` may be the secret itself. */
function parsed(text: string): Credential | string {
  const values: Partial<Record<Key, string>> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const equals = line.indexOf('=');
    const key = keys.find((known) => known === line.slice(0, Math.max(equals, 0)));
    if (key === undefined) return `line ${index + 1} is not one of ${keys.map((known) => `"${known}=…"`).join(', ')}`;
    if (values[key] !== undefined) return `"${key}" is set twice`;
    values[key] = line.slice(equals + 1);
  }
  const { url, username = defaultUsername, password } = values;
  if (url === undefined || password === undefined || password === '') return 'it needs a "url" and a "password"';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a header has no room for them.
  if (/[\x00-\x1f\x7f]/.test(username + password) || username.includes(':')) {
    return 'its "username" or "password" contains characters that cannot be sent';
  }
  const prefix = readCloneUrl(url);
  if (typeof prefix === 'string') return `its "url" is not a valid repository URL (${prefix})`;
  return { prefix, username, password };
}
