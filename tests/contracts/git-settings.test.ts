import { describe, expect, it } from '@jest/globals';
import { environmentOf } from '../../src/adapters/version-control/git-settings.js';

/** The environment of a fetch, and its settings by name. */
function told(url = 'https://git.example.com/acme/network.git') {
  const environment = environmentOf({
    url: new URL(url),
    addresses: ['192.0.2.7', '2001:db8::7'],
    credential: undefined,
    directory: '/work',
    repository: '/work/repository',
    memoryBytes: 1,
    silentSeconds: 20,
  });
  const settings: Record<string, string | undefined> = {};
  for (let n = 0; n < Number(environment.GIT_CONFIG_COUNT); n += 1) {
    settings[environment[`GIT_CONFIG_KEY_${n}`] ?? ''] = environment[`GIT_CONFIG_VALUE_${n}`];
  }
  return { environment, settings };
}

/** A real git with these settings: tests/e2e/git-commit-fetcher.full.test.ts. */
describe('git', () => {
  it.each([
    ['follow a redirection to a host that was not checked', 'http.followRedirects', 'false'],
    ['use a proxy', 'http.proxy', ''],
    ['fetch a bundle that a repository names', 'transfer.bundleURI', 'false'],
    ['fetch a pack from an address that a repository names', 'fetch.uriProtocols', ''],
    ['fetch submodules', 'fetch.recurseSubmodules', 'false'],
    ['enter submodules', 'submodule.recurse', 'false'],
    ['run hooks', 'core.hooksPath', '/dev/null'],
    ['run a file system monitor', 'core.fsmonitor', 'false'],
    ['take filters from an attributes file', 'core.attributesFile', '/dev/null'],
    ['ask a helper for credentials', 'credential.helper', ''],
    ['run a program that asks for credentials', 'core.askPass', ''],
    ['take objects as they come', 'transfer.fsckObjects', 'true'],
    ['take fetched objects as they come', 'fetch.fsckObjects', 'true'],
  ])('is configured not to %s', (_what, key, value) => {
    expect(told().settings[key]).toBe(value);
  });

  it.each([
    ['GIT_CONFIG_NOSYSTEM', '1'],
    ['GIT_CONFIG_GLOBAL', '/dev/null'],
    ['GIT_ATTR_NOSYSTEM', '1'],
    ['GIT_TERMINAL_PROMPT', '0'],
    ['GIT_ASKPASS', ''],
    ['GIT_NO_REPLACE_OBJECTS', '1'],
    ['HOME', '/work'],
  ])('has nothing of the machine’s own configuration: %s', (name, value) => {
    expect(told().environment[name]).toBe(value);
  });

  it('may use no protocol but that of the address', () => {
    expect(told('https://git.example.com/a.git').environment.GIT_ALLOW_PROTOCOL).toBe('https');
    expect(told('http://git.example.com/a.git').environment.GIT_ALLOW_PROTOCOL).toBe('http');
  });

  it('connects to the addresses that were checked', () => {
    expect(told().settings['http.curloptResolve']).toBe('git.example.com:443:192.0.2.7,[2001:db8::7]');
  });
});
