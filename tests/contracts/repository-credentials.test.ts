import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { credentialFor, isCredentialName } from '../../src/adapters/version-control/credentials.js';
import { lastComplaint } from '../../src/adapters/version-control/fetch-faults.js';
import {
  isAllowedHost,
  isCommitSha,
  isFullRef,
  liesBelow,
  readCloneUrl,
} from '../../src/adapters/version-control/repository-url.js';
import { cloneUrlsWithFitPaths, cloneUrlsWithUnfitPaths } from '../support/clone-urls.js';
import { inTemporaryDirectory } from '../support/process.js';
import { fc, runs } from '../support/properties.js';

const secret = 'hunter2-hunter2';
const text = `# for the whole organization\nurl=https://git.example/acme/\nusername=robot\npassword=${secret}\n`;
const repository = new URL('https://git.example/acme/app.git');

const withDirectory = (test: (credentials: string, around: string) => Promise<void>): Promise<void> =>
  inTemporaryDirectory(async (around) => {
    const credentials = join(around, 'credentials');
    await mkdir(credentials);
    await test(credentials, around);
  });

async function refusal(directory: string | undefined, name: string, url = repository): Promise<string> {
  const error = await credentialFor(directory, name, url).then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toMatchObject({ code: 'repository/fetch-failed' });
  expect(error.message).not.toContain(secret);
  if (directory !== undefined) expect(error.message).not.toContain(directory);
  return error.message;
}

describe('a credential', () => {
  it('is read from the file of its name', () =>
    withDirectory(async (directory) => {
      await writeFile(join(directory, 'acme'), text.replaceAll('\n', '\r\n'));
      const found = await credentialFor(directory, 'acme', repository);
      expect(found).toEqual({ prefix: new URL('https://git.example/acme/'), username: 'robot', password: secret });
    }));

  it('keeps what is in a password, equals signs and blanks, and has a user name by default', () =>
    withDirectory(async (directory) => {
      await writeFile(join(directory, 'acme'), 'url=https://git.example\npassword= a=b==#c \n');
      expect(await credentialFor(directory, 'acme', repository)).toMatchObject({
        username: 'git',
        password: ' a=b==#c ',
      });
    }));

  it.each(['..', '.', '', '../secret', 'a/b', 'a\\b', 'a\0', 'a b', 'a\n', 'é', 'a'.repeat(91), '/etc/passwd'])(
    'is not looked for by the name %j',
    (name) =>
      withDirectory(async (directory, around) => {
        await writeFile(join(around, 'secret'), text);
        expect(isCredentialName(name)).toBe(false);
        expect(await refusal(directory, name)).toContain('name of the credential');
      }),
  );

  it('is found through links inside the directory, as a mounted secret is', () =>
    withDirectory(async (directory) => {
      await mkdir(join(directory, '..2026'));
      await writeFile(join(directory, '..2026', 'acme'), text);
      await symlink('..2026', join(directory, '..data'));
      await symlink('..data/acme', join(directory, 'acme'));
      expect(await credentialFor(directory, 'acme', repository)).toMatchObject({ password: secret });
      expect(await refusal(directory, '..data')).toBe('there is no credential named "..data" on the server');
    }));

  it('is not found through a link that leads out', () =>
    withDirectory(async (directory, around) => {
      await writeFile(join(around, 'secret'), text);
      await mkdir(join(around, 'credentials-of-others'));
      await writeFile(join(around, 'credentials-of-others', 'acme'), text);
      await symlink('../secret', join(directory, 'relative'));
      await symlink(join(around, 'secret'), join(directory, 'absolute'));
      await symlink('../credentials-of-others/acme', join(directory, 'beside'));
      await symlink('loop', join(directory, 'loop'));
      for (const name of ['relative', 'absolute', 'beside', 'loop']) {
        expect(await refusal(directory, name)).toBe(`there is no credential named "${name}" on the server`);
      }
    }));

  it('is a regular file: a folder, a pipe and a missing file are refused without waiting', () =>
    withDirectory(async (directory) => {
      await mkdir(join(directory, 'folder'));
      execFileSync('mkfifo', [join(directory, 'pipe')]);
      for (const name of ['folder', 'pipe', 'missing']) {
        expect(await refusal(directory, name)).toBe(`there is no credential named "${name}" on the server`);
      }
      expect(await refusal(undefined, 'acme')).toContain('has no credentials configured');
      expect(await refusal(join(directory, 'none'), 'acme')).toContain('no credential named');
    }));

  it.each([
    ['no password', 'url=https://git.example/acme\n', 'needs a "url" and a "password"'],
    ['an empty password', 'url=https://git.example/acme\npassword=\n', 'needs a "url" and a "password"'],
    ['no address', `password=${secret}\n`, 'needs a "url" and a "password"'],
    ['the secret alone', `${secret}\n`, 'line 1 is not one of'],
    ['an unknown key', `token=${secret}\n`, 'line 1 is not one of'],
    ['two passwords', `password=${secret}\npassword=${secret}\n`, '"password" is set twice'],
    ['a control character', `url=https://git.example\npassword=${secret}\tx\n`, 'cannot be sent'],
    ['a colon in the user name', `url=https://git.example\nusername=a:b\npassword=${secret}\n`, 'cannot be sent'],
    [
      'an address some servers lead elsewhere',
      `url=https://git.example/a/..;/b\npassword=${secret}\n`,
      'not a valid repository URL',
    ],
    ['the same, encoded', `url=https://git.example/a/..%3b/b\npassword=${secret}\n`, 'not a valid repository URL'],
    ['an address with a password', `url=https://u:p@git.example\npassword=${secret}\n`, 'not a valid repository URL'],
    ['another transport', `url=ssh://git.example\npassword=${secret}\n`, 'not a valid repository URL'],
    ['too much', `url=https://git.example\npassword=${secret.repeat(2000)}\n`, 'too long'],
  ])('is not usable with %s', (_what, contents, sentence) =>
    withDirectory(async (directory) => {
      await writeFile(join(directory, 'acme'), contents);
      expect(await refusal(directory, 'acme')).toContain(sentence);
    }),
  );

  it('is not for other addresses than its own', () =>
    withDirectory(async (directory) => {
      await writeFile(join(directory, 'acme'), text);
      const message = await refusal(directory, 'acme', new URL('https://git.example/acme-evil/app.git'));
      expect(message).toContain('not for this repository');
      expect(message).not.toContain('git.example');
    }));
});

describe('an address lies below another', () => {
  const below = (url: string, prefix: string) => liesBelow(new URL(url), new URL(prefix));

  it.each([
    ['https://git.example/acme', 'https://git.example/acme'],
    ['https://git.example/acme', 'https://git.example/acme/'],
    ['https://git.example/acme/', 'https://git.example/acme'],
    ['https://git.example/acme/app.git', 'https://git.example/acme'],
    ['https://git.example/acme/app.git', 'https://git.example'],
    ['https://GIT.example:443/acme/app', 'https://git.example/acme'],
    ['http://git.example:8080/acme/app', 'http://git.example:8080/'],
  ])('%s below %s', (url, prefix) => expect(below(url, prefix)).toBe(true));

  it.each([
    ['https://git.example/acme-evil', 'https://git.example/acme'],
    ['https://git.example/acme.git', 'https://git.example/acme'],
    ['https://git.example/ACME/app', 'https://git.example/acme'],
    ['https://git.example/', 'https://git.example/acme'],
    ['http://git.example/acme', 'https://git.example/acme'],
    ['https://git.example:8443/acme', 'https://git.example/acme'],
    ['https://git.example.evil/acme', 'https://git.example/acme'],
    ['https://evil.git.example/acme', 'https://git.example/acme'],
    ['https://git.example/acme/../evil', 'https://git.example/acme'],
    ['https://git.example/acme/%2e%2e/evil', 'https://git.example/acme'],
  ])('%s not below %s', (url, prefix) => expect(below(url, prefix)).toBe(false));
});

describe('a clone URL', () => {
  it.each([
    'https://github.com/acme/app.git',
    ...cloneUrlsWithFitPaths,
    'http://127.0.0.1:3000/app.git',
    'https://[2606:4700::1111]/app.git',
    'https://bücher.example/app.git',
    'HTTPS://Git.Example/app.git',
  ])('is taken: %s', (url) => expect(readCloneUrl(url)).toBeInstanceOf(URL));

  it.each([
    ['', 'must begin with'],
    ['--upload-pack=touch x', 'spaces'],
    ['--upload-pack=x', 'must begin with'],
    ['-https://git.example/a', 'must begin with'],
    ['file:///etc', 'must begin with'],
    ['/srv/git/a.git', 'must begin with'],
    ['ssh://git@git.example/a', 'must begin with'],
    ['git@git.example:a/b', 'must begin with'],
    ['git://git.example/a', 'must begin with'],
    ['ext::sh -c id', 'spaces'],
    ['ext::sh', 'must begin with'],
    ['https::ext::sh', 'must begin with'],
    ['fd::3', 'must begin with'],
    ['https:git.example/a', 'must begin with'],
    ['https:/git.example/a', 'must begin with'],
    ['https:///git.example/a', 'must begin with'],
    ['https://git.example/a\n', 'spaces'],
    ['https://git.example/a b', 'spaces'],
    ['https://git.example/\u00a0', 'spaces'],
    ['ht\ttps://git.example/a', 'spaces'],
    ['https://git.example/\0', 'spaces'],
    ['https://user:pw@git.example/a', 'user name'],
    ['https://user@git.example/a', 'user name'],
    ['https://@git.example/a', 'user name'],
    ['https://git.example\\@evil.example/a', 'user name'],
    ['https://git.example/a?service=x', 'query'],
    ['https://git.example/a#b', 'query'],
    ['https://git.example?', 'query'],
    ['https://git.example./a', 'host name'],
    ['https://-git.example/a', 'host name'],
    ['https://*.example/a', 'host name'],
    ['https://git..example/a', 'host name'],
    ['https://git.example:0/a', 'port'],
    ['https://git.example:x/a', 'not a URL'],
    ['https://999.1.1.1/a', 'not a URL'],
    ...cloneUrlsWithUnfitPaths.map((url) => [url, 'the path of the clone URL contains'] as const),
    [`https://git.example/${'a'.repeat(2048)}`, 'longer than'],
  ])('is refused: %j', (url, words) => expect(readCloneUrl(url)).toContain(words));

  it.each([
    ['http://2130706433/a', '127.0.0.1'],
    ['http://0x7f.1/a', '127.0.0.1'],
    ['http://0177.0.0.1/a', '127.0.0.1'],
    ['http://[::FFFF:127.0.0.1]/a', '[::ffff:7f00:1]'],
  ])('says which address %s is', (url, hostname) => expect(readCloneUrl(url)).toMatchObject({ hostname }));

  it('is allowed a host by name, or by name and port, and not by a part of it', () => {
    const url = new URL('https://Git.Example:8443/a');
    for (const named of ['git.example', 'GIT.example', 'git.example:8443'])
      expect(isAllowedHost(url, [named])).toBe(true);
    for (const named of ['git.example:443', 'example', '.example', '*', '', 'xgit.example', 'git.example.']) {
      expect(isAllowedHost(url, [named])).toBe(false);
    }
    expect(isAllowedHost(new URL('https://git.example/a'), ['git.example:443'])).toBe(true);
    expect(isAllowedHost(new URL('http://[::1]:80/a'), ['::1'])).toBe(true);
    expect(isAllowedHost(new URL('http://[::1]:81/a'), ['[::1]:81'])).toBe(true);
  });
});

describe('what is handed to git by name', () => {
  it.each([
    'refs/heads/main',
    'refs/heads/feature/a-b_c.d',
    'refs/pull/7/head',
    'refs/tags/v1.0.0',
    'refs/heads/größe',
    'refs/heads/a@b',
  ])('is a ref: %s', (ref) => expect(isFullRef(ref)).toBe(true));

  it.each([
    'main',
    'HEAD',
    'refs/heads',
    'refs/heads/',
    'refs//heads/main',
    '--upload-pack=x',
    '+refs/heads/main',
    'refs/heads/-x',
    'refs/heads/a..b',
    'refs/heads/.a',
    'refs/heads/a.',
    'refs/heads/a./b',
    'refs/heads/a.lock',
    'refs/heads/a.lock/b',
    'refs/heads/a/../b',
    'refs/heads/a:refs/heads/b',
    'refs/heads/*',
    'refs/heads/a?',
    'refs/heads/a[b]',
    'refs/heads/a~1',
    'refs/heads/a^{tree}',
    'refs/heads/a@{1}',
    'refs/heads/a b',
    'refs/heads/a\n',
    'refs/heads/a\\b',
    'refs/heads/a\x7f',
    `refs/heads/${'a'.repeat(512)}`,
  ])('is not a ref: %j', (ref) => expect(isFullRef(ref)).toBe(false));

  it('is a hash in full, or nothing', () => {
    for (const length of [40, 64]) expect(isCommitSha('a1'.repeat(length / 2))).toBe(true);
    for (const sha of [
      '',
      'a'.repeat(39),
      'a'.repeat(41),
      'g'.repeat(40),
      'A'.repeat(40),
      `${'a'.repeat(40)}\n`,
      `-${'a'.repeat(39)}`,
    ]) {
      expect(isCommitSha(sha)).toBe(false);
    }
  });

  it('never begins as an option does, nor names two things', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((end) => `refs/heads/${end}`),
        ),
        (ref) => {
          if (isFullRef(ref)) expect(ref).toMatch(/^refs\/[^:\s*]+$/);
        },
      ),
      { numRuns: runs(2000) },
    );
  });
});

describe('what git complains of', () => {
  it('is reported in one line, without secrets', () => {
    const complaints = [
      'remote: \x1b[31mred\x1b[0m',
      `fatal: unable to access 'https://u:${secret}@git.example/a/': header Authorization: Basic abc\x07`,
      '  hint: more',
    ].join('\r\n');
    expect(lastComplaint(complaints, [])).toBe(`unable to access 'https://git.example/a/': header Authorization: …`);
    expect(lastComplaint(`error: ${secret} at /tmp/x/y`, [secret, '/tmp/x'])).toBe('… at …/y');
    expect(lastComplaint('', [])).toBe('');
    expect(lastComplaint('x'.repeat(500), [])).toHaveLength(201);
  });
});
