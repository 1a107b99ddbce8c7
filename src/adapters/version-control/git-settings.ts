import type { Credential } from './credentials.js';
import { hostOf, portOf } from './repository-url.js';

/** The settings of one fetch. */
export interface GitTask {
  readonly url: URL;
  /** The only addresses to connect to; none for a host that is an address itself. */
  readonly addresses: readonly string[];
  readonly credential: Credential | undefined;
  /** Its home and temporary directory. */
  readonly directory: string;
  readonly repository: string;
  /** The largest single memory allocation. */
  readonly memoryBytes: number;
  /** How long git waits without progress before it gives up, in case this process no longer exists to end it. */
  readonly silentSeconds: number;
}

export const authorizationOf = ({ username, password }: Credential): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/**
 * The whole environment of git: of the service's own, only the path reaches it, and only the repository made for it
 * configures it. Other users can see a process's arguments but not its environment, so secrets are passed here.
 */
export function environmentOf(task: GitTask): Readonly<Record<string, string>> {
  const settings = settingsOf(task);
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: task.directory,
    TMPDIR: task.directory,
    LANG: 'C',
    LC_ALL: 'C',
    GIT_DIR: task.repository,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_ALLOW_PROTOCOL: task.url.protocol.slice(0, -1),
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ALLOC_LIMIT: String(task.memoryBytes),
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(numbered),
  };
}

function settingsOf(task: GitTask): [key: string, value: string][] {
  const { url, addresses, credential } = task;
  const settings: [key: string, value: string][] = [
    ['core.hooksPath', '/dev/null'],
    ['core.attributesFile', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['core.askPass', ''],
    ['credential.helper', ''],
    ['protocol.version', '2'],
    // Redirects, proxies, alternates and bundles lead to unchecked hosts. Without redirects, alternates are off too.
    ['http.followRedirects', 'false'],
    ['http.proxy', ''],
    ['transfer.bundleURI', 'false'],
    ['fetch.uriProtocols', ''],
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', String(task.silentSeconds)],
    ['transfer.fsckObjects', 'true'],
    ['fetch.fsckObjects', 'true'],
    ['fetch.recurseSubmodules', 'false'],
    ['submodule.recurse', 'false'],
    // Always a pack, which one thread reads and which keeps large files out of memory.
    ['fetch.unpackLimit', '1'],
    ['pack.threads', '1'],
    ['core.bigFileThreshold', '16m'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['log.showSignature', 'false'],
    ['tar.umask', '0022'],
  ];
  if (addresses.length > 0) {
    const list = addresses.map((address) => (address.includes(':') ? `[${address}]` : address)).join(',');
    settings.push(['http.curloptResolve', `${hostOf(url)}:${portOf(url)}:${list}`]);
  }
  if (credential !== undefined) {
    const key = `http.${credential.prefix.href}.extraHeader`;
    settings.push([key, `Authorization: ${authorizationOf(credential)}`]);
  }
  return settings;
}
