import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TarBundleInspector } from '../../src/adapters/files/tar-bundle-inspector.js';
import {
  GitCommitFetcher,
  type GitCommitFetcherOptions,
} from '../../src/adapters/version-control/git-commit-fetcher.js';
import type { CommitRequest, FetchedCommit } from '../../src/application/ports/outside/commit-fetcher.js';
import { aCommitFetcher } from '../contracts/commit-fetcher.js';
import { filesIn, gathered } from '../support/archives.js';
import { GitRepository, GitServer, type GitServerOptions } from '../support/git-server.js';
import { temporaryDirectory } from '../support/process.js';
import { usable } from '../support/programs.js';

const present = spawnSync('git', ['version']).status === 0;
const reason = present ? '' : ' (skipped: no git on PATH)';
const suite = usable('git', present) ? describe : describe.skip;

const mebibyte = 1024 * 1024;
const inspector = new TarBundleInspector({
  maxArchiveBytes: 64 * mebibyte,
  maxUnpackedBytes: 64 * mebibyte,
  maxArchiveEntries: 1000,
});

let root: string;
let temporaryDir: string;
let credentialsDir: string;
let servers: GitServer[];
let allowedHosts: string[];
let repository: GitRepository;

async function serve(options: GitServerOptions = {}): Promise<GitServer> {
  const server = await GitServer.start(root, options);
  servers.push(server);
  allowedHosts.push(server.host);
  return server;
}

const fetcherWith = (options: Partial<GitCommitFetcherOptions> = {}): GitCommitFetcher =>
  new GitCommitFetcher({
    credentialsDir,
    allowedHosts,
    maxArchiveBytes: 64 * mebibyte,
    maxUnpackedBytes: 64 * mebibyte,
    seconds: 60,
    temporaryDir,
    ...options,
  });

interface Fetched extends FetchedCommit {
  readonly archive: Buffer;
  readonly files: Readonly<Record<string, string>>;
}

const requestOf = (cloneUrl: string, given: Partial<CommitRequest> = {}): CommitRequest => ({
  cloneUrl,
  credential: null,
  ref: null,
  commitSha: null,
  ...given,
});

/** Fetches through the inspector, as an upload is received, and sees to it that nothing is left behind. */
async function fetched(request: CommitRequest, options?: Partial<GitCommitFetcherOptions>): Promise<Fetched> {
  try {
    return await fetcherWith(options).fetch(request, async (commit, bytes) => {
      const archive = await gathered(inspector.inspect(bytes).bytes);
      return { ...commit, archive, files: await filesIn(archive) };
    });
  } finally {
    expect(await readdir(temporaryDir)).toEqual([]);
  }
}

/** The sentence of a refusal. */
async function refused(request: CommitRequest, options?: Partial<GitCommitFetcherOptions>): Promise<string> {
  const error = await fetched(request, options).then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toMatchObject({ code: 'repository/fetch-failed' });
  expect(error.message).not.toContain(root);
  expect(error.message).not.toMatch(/\n/);
  return error.message;
}

/** The arguments of every process there is, a line each. */
async function commandLines(): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.map((line) => line.replaceAll('\0', ' '));
}

/** A program that does as `script` says, to stand in for git. */
async function programOf(script: string): Promise<string> {
  const path = join(root, 'program');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

suite(`commits fetched with git${reason}`, () => {
  beforeEach(async () => {
    root = await temporaryDirectory();
    temporaryDir = join(root, 'temporary');
    credentialsDir = join(root, 'credentials');
    await mkdir(temporaryDir);
    await mkdir(credentialsDir);
    servers = [];
    allowedHosts = [];
    repository = await GitRepository.create(root, 'app.git');
    await repository.commit({ 'main.tf': 'one\n' }, 'first');
  });

  afterEach(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await rm(root, { recursive: true, force: true });
  });

  describe('of a public repository', () => {
    it('is the tip of the default branch, with its message and files', async () => {
      const files = { 'main.tf': 'two\n', 'modules/net/main.tf': 'net\n' };
      const sha = await repository.commit(files, 'Second\n\nwith a größer body\n');
      const server = await serve();
      const found = await fetched(requestOf(server.url('app.git')));
      expect(found).toMatchObject({ sha, message: 'Second\n\nwith a größer body', defaultBranch: 'main' });
      expect(found.files).toEqual({ ...files, 'modules/': 'directory', 'modules/net/': 'directory' });
    });

    it('is the tip of another default branch', async () => {
      await repository.git('checkout', '--quiet', '-b', 'trunk');
      const sha = await repository.commit({ 'main.tf': 'trunk\n' }, 'trunk', 'refs/heads/trunk');
      await repository.pointHeadAt('refs/heads/trunk');
      const server = await serve();
      expect(await fetched(requestOf(server.url('app.git')))).toMatchObject({ sha, defaultBranch: 'trunk' });
    });

    it('is the tip of a branch, a tag or a pull request', async () => {
      const branch = await repository.commit({ 'main.tf': 'branch\n' }, 'branch', 'refs/heads/feature/a');
      await repository.git('tag', '--annotate', '--message', 'one', 'v1');
      await repository.push('v1', 'refs/tags/v1');
      const pull = await repository.pullRequest(7, { 'main.tf': 'pull\n' });
      const server = await serve();
      const url = server.url('app.git');
      for (const [ref, sha] of [
        ['refs/heads/feature/a', branch],
        ['refs/tags/v1', branch],
        ['refs/pull/7/head', pull],
      ] as const) {
        const found = await fetched(requestOf(url, { ref }));
        expect(found).toMatchObject({ sha, defaultBranch: 'main' });
      }
      const pulled = await fetched(requestOf(url, { ref: 'refs/pull/7/head', commitSha: pull }));
      expect(pulled.files).toEqual({ 'main.tf': 'pull\n' });
    });

    it.each([false, true])(
      'is exactly the commit asked for, not at any tip (old protocol: %s)',
      async (oldProtocol) => {
        const sha = await repository.commit({ 'main.tf': 'wanted\n' }, 'wanted');
        await repository.commit({ 'main.tf': 'later\n' }, 'later');
        const server = await serve({ oldProtocol });
        for (const ref of [null, 'refs/heads/main']) {
          const found = await fetched(requestOf(server.url('app.git'), { ref, commitSha: sha }));
          expect(found).toMatchObject({ sha, message: 'wanted', files: { 'main.tf': 'wanted\n' } });
        }
      },
    );

    it.each([false, true])(
      'fails for an id that is not a commit of the repository (old protocol: %s)',
      async (oldProtocol) => {
        const server = await serve({ oldProtocol });
        const ref = 'refs/heads/main';
        const url = server.url('app.git');
        expect(await refused(requestOf(url, { ref, commitSha: 'ab'.repeat(20) }))).toContain(
          'is not in the repository',
        );
        const tree = await repository.git('rev-parse', 'HEAD^{tree}');
        expect(await refused(requestOf(url, { ref, commitSha: tree }))).toMatch(
          /is not (a commit of|in) the repository/,
        );
      },
    );

    it('comes from a repository of the longer hashes, too', async () => {
      const long = await GitRepository.create(root, 'long.git', 'sha256');
      const sha = await long.commit({ 'main.tf': 'long\n' }, 'long');
      const server = await serve();
      expect(sha).toHaveLength(64);
      for (const commitSha of [null, sha]) {
        expect(await fetched(requestOf(server.url('long.git'), { commitSha }))).toMatchObject({ sha });
      }
    });

    it('is packed into the same bytes each time', async () => {
      const server = await serve();
      const first = await fetched(requestOf(server.url('app.git')));
      await pause(1100);
      const second = await fetched(requestOf(server.url('app.git'), { ref: 'refs/heads/main' }));
      expect(second.archive.equals(first.archive)).toBe(true);
    });
  });

  aCommitFetcher(async () => {
    const server = await serve();
    return {
      fetcher: fetcherWith(),
      cloneUrl: server.url('app.git'),
      absentUrl: server.url('none.git'),
      push: (branch, files, message) => repository.commit(files, message, `refs/heads/${branch}`),
      leftovers: () => readdir(temporaryDir),
    };
  });

  describe('is refused with a sentence that says what to mend', () => {
    it('for what does not exist', async () => {
      const server = await serve();
      await GitRepository.create(root, 'empty.git');
      const url = server.url('app.git');
      expect(await refused(requestOf(url, { ref: 'refs/heads/gone' }))).toBe(
        'the branch "gone" does not exist in the repository',
      );
      expect(await refused(requestOf(url, { ref: 'refs/pull/9/head' }))).toBe(
        'the ref "refs/pull/9/head" does not exist in the repository',
      );
      expect(await refused(requestOf(server.url('none.git')))).toBe(
        'the repository could not be read: it does not exist, or it requires a credential',
      );
      expect(await refused(requestOf(server.url('empty.git')))).toBe('the repository has no commits yet');
    });

    it('for a host that is not there, and one that serves something else', async () => {
      const server = await serve();
      const { host } = server;
      await server.stop();
      servers = [];
      expect(await refused(requestOf(`http://${host}/app.git`))).toBe(`${host} is unreachable`);
      const lookup = async () => {
        throw new Error('ENOTFOUND');
      };
      expect(await refused(requestOf('https://nowhere.example/a'), { lookup })).toBe(
        'the host nowhere.example does not resolve to an address',
      );
      const commitSha = 'ab'.repeat(20);
      const pages = [await serve({ page: '<p>hello</p>' }), await serve({ page: `${commitSha}\trefs/heads/main\n` })];
      for (const page of pages) {
        expect(await refused(requestOf(page.url('a')))).toMatch(
          /^(no git repository is served|the repository has no c)/,
        );
        expect(await refused(requestOf(page.url('a'), { ref: 'refs/heads/main', commitSha }))).toBe(
          'there is no git repository at the clone URL',
        );
        expect(page.requests.filter(({ path }) => path.includes('/objects/'))).toEqual([]);
      }
    });

    it('where git is missing or too old', async () => {
      const server = await serve();
      const request = requestOf(server.url('app.git'));
      expect(await refused(request, { git: '/nowhere/git' })).toBe('git is not installed on the server');
      const git = await programOf('echo git version 2.36.9');
      expect(await refused(request, { git })).toBe('git on the server is older than 2.37');
    });

    it('passes an error of the receiver to the caller, and accepts a receiver that reads nothing', async () => {
      const server = await serve();
      const request = requestOf(server.url('app.git'));
      const mine = new Error('mine');
      const thrown = fetcherWith().fetch(request, async (_commit, bytes) => {
        for await (const _chunk of bytes) throw mine;
      });
      await expect(thrown).rejects.toBe(mine);
      expect(await fetcherWith().fetch(request, async () => 'unread')).toBe('unread');
      expect(await readdir(temporaryDir)).toEqual([]);
    });
  });

  describe('with a credential', () => {
    const basicAuth = 'robot:hunter2-hunter2';
    const sent = `Basic ${Buffer.from(basicAuth).toString('base64')}`;
    const keep = (name: string, url: string, password = 'hunter2-hunter2') =>
      writeFile(join(credentialsDir, name), `url=${url}\nusername=robot\npassword=${password}\n`);

    it('reads what needs one', async () => {
      const server = await serve({ basicAuth });
      await keep('acme', `http://${server.host}/`);
      const found = await fetched(requestOf(server.url('app.git'), { credential: 'acme' }));
      expect(found.files).toEqual({ 'main.tf': 'one\n' });
      expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(new Set([sent]));
    });

    it('is refused when it is wrong, absent or unknown, and is not revealed', async () => {
      const server = await serve({ basicAuth });
      await keep('wrong', `http://${server.host}/`, 'a-wrong-password');
      const url = server.url('app.git');
      expect(await refused(requestOf(url, { credential: 'wrong' }))).toBe(
        'the repository could not be read: it does not exist, or the credential "wrong" cannot read it',
      );
      expect(await refused(requestOf(url))).toBe(
        'the repository could not be read: it does not exist, or it requires a credential',
      );
      expect(await refused(requestOf(url, { credential: 'none' }))).toBe(
        'there is no credential named "none" on the server',
      );
      expect(await refused(requestOf(url, { credential: '../credentials/wrong' }))).toContain('name of the credential');
    });

    it('sends it nowhere but below its own address', async () => {
      const [server, other] = [await serve(), await serve()];
      for (const [name, url] of [
        ['sibling', `http://${server.host}/app`],
        ['host', `http://${other.host}/`],
        ['scheme', `https://${server.host}/`],
      ] as const) {
        await keep(name, url);
        expect(await refused(requestOf(server.url('app.git'), { credential: name }))).toContain(
          'not for this repository',
        );
      }
      expect(server.requests).toEqual([]);
    });

    it('follows no redirection, neither with it nor without', async () => {
      const target = await serve({ basicAuth });
      const server = await serve({ redirectTo: `http://${target.host}` });
      await keep('acme', `http://${server.host}/`);
      for (const credential of ['acme', null]) {
        expect(await refused(requestOf(server.url('app.git'), { credential }))).toContain('redirects');
      }
      expect(server.requests.length).toBeGreaterThan(0);
      expect(target.requests).toEqual([]);
    });

    it('does not appear in the list of processes', async () => {
      const server = await serve({ hangs: 'packs' });
      await keep('acme', `http://${server.host}/`);
      const sha = await repository.git('rev-parse', 'HEAD');
      const fetching = refused(
        requestOf(server.url('app.git'), { credential: 'acme', commitSha: sha, ref: 'refs/heads/main' }),
        { seconds: 3 },
      );
      while (!server.requests.some(({ path }) => path.endsWith('git-upload-pack'))) await pause(20);
      const lines = (await commandLines()).filter((line) => line.includes(server.host));
      expect(lines.some((line) => line.includes('remote-http'))).toBe(true);
      expect(lines.filter((line) => line.includes('hunter2') || line.includes(sent.slice(6)))).toEqual([]);
      expect(await fetching).toBe('fetching took longer than 3 seconds');
    });
  });

  describe('leads to no network of the server’s own', () => {
    const answering = (...addresses: string[]) => {
      const asked: string[] = [];
      const lookup = async (host: string) => {
        asked.push(host);
        return [{ address: addresses[asked.length - 1] ?? '127.0.0.1' }];
      };
      return { asked, lookup };
    };

    it('when a host has a private address and is not allowed', async () => {
      const server = await serve();
      const only = { allowedHosts: ['other.example'] };
      const https = (host: string) => requestOf(`https://${host}:${server.port}/app.git`);
      const { lookup } = answering('10.0.0.1');
      expect(await refused(https('git.example'), { ...only, lookup })).toBe(
        'git.example resolves to a private address; add it to VCS_ALLOWED_HOSTS to allow it',
      );
      const mixed = async () => [{ address: '93.184.216.34' }, { address: '::1' }];
      expect(await refused(https('git.example'), { ...only, lookup: mixed })).toContain('private address');
      for (const host of ['127.0.0.1', '[::1]', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '169.254.169.254']) {
        expect(await refused(https(host), only)).toContain('is a private address');
      }
      expect(await refused(https('localhost'), only)).toContain('resolves to a private address');
      expect(await refused(requestOf(server.url('app.git')), only)).toContain('must begin with https://');
      expect(server.requests).toEqual([]);
    });

    it('when the host has another address by the time git connects', async () => {
      // The name resolves to 127.0.0.1 now, and resolved to 127.0.0.2 when it was checked.
      const checked = await serve({ host: '127.0.0.2' });
      const rebound = await serve({ host: '127.0.0.1', port: checked.port });
      const { asked, lookup } = answering('127.0.0.2', '127.0.0.1');
      const request = requestOf(`http://localhost:${checked.port}/app.git`);
      await fetched(request, { lookup, allowedHosts: ['localhost'] });
      expect(asked).toEqual(['localhost']);
      expect(checked.requests.length).toBeGreaterThan(0);
      expect(rebound.requests).toEqual([]);
    });

    it('because git connects only to the addresses that were checked', async () => {
      const record = join(root, 'record');
      const git = await programOf(
        `case "$1" in version) echo git version 2.39.5;; *) env >> '${record}'; exit 1;; esac`,
      );
      const asked: string[] = [];
      const lookup = async (host: string) => {
        asked.push(host);
        return asked.length > 1
          ? [{ address: '127.0.0.1' }]
          : [{ address: '93.184.216.34' }, { address: '2606:4700::1' }];
      };
      process.env.https_proxy = 'http://127.0.0.1:1';
      process.env.GIT_TRACE = '1';
      try {
        await refused(requestOf('https://git.example/app.git'), {
          git,
          lookup,
          reach: async () => {},
          allowedHosts: [],
        });
      } finally {
        delete process.env.https_proxy;
        delete process.env.GIT_TRACE;
      }
      const environment = await readFile(record, 'utf8');
      expect(asked).toEqual(['git.example']);
      expect(environment).toContain('=git.example:443:93.184.216.34,[2606:4700::1]\n');
      expect(environment).toContain('GIT_ALLOW_PROTOCOL=https\n');
      const names = environment
        .split('\n')
        .map((line) => line.split('=')[0] ?? '')
        .filter((name) => !/^(GIT_|PWD$|_$|SHLVL$|OLDPWD$|$)/.test(name));
      expect(names.sort()).toEqual(['HOME', 'LANG', 'LC_ALL', 'PATH', 'TMPDIR']);
      expect(environment).not.toContain('GIT_TRACE');
    });
  });

  describe('is kept within limits', () => {
    it.each(['always', 'packs'] as const)('of time, and leaves no process (silent: %s)', async (hangs) => {
      const server = await serve({ hangs });
      expect(await refused(requestOf(server.url('app.git')), { seconds: 2 })).toBe(
        'fetching took longer than 2 seconds',
      );
      expect((await commandLines()).filter((line) => line.includes(server.host))).toEqual([]);
    });

    it.each(['always', 'packs'] as const)('of silence (silent: %s)', async (hangs) => {
      const server = await serve({ hangs });
      expect(await refused(requestOf(server.url('app.git')), { silentSeconds: 2 })).toBe(
        `${server.host} was silent for 2 seconds`,
      );
    });

    it('of time to connect', async () => {
      const server = await serve({ hangs: 'always' });
      const reach = () => new Promise<never>(() => undefined);
      expect(await refused(requestOf(server.url('app.git')), { connectSeconds: 1, reach })).toBe(
        `${server.host} did not accept a connection within 1 seconds`,
      );
    });

    it('of time to connect with TLS, where the host takes the connection and is silent', async () => {
      const server = createServer(() => undefined).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const options = { connectSeconds: 1, allowedHosts: [`127.0.0.1:${port}`] };
      const refusal = await refused(requestOf(`https://127.0.0.1:${port}/app.git`), options);
      server.close();
      expect(refusal).toBe(`127.0.0.1:${port} did not accept a connection within 1 seconds`);
    });

    it('of time, and ends what git itself started', async () => {
      const git = await programOf('case "$1" in version) echo git version 2.39.5;; *) sleep 4321 & wait;; esac');
      const server = await serve();
      expect(await refused(requestOf(server.url('app.git')), { git, seconds: 1 })).toContain('took longer');
      expect((await commandLines()).filter((line) => line.includes('sleep 4321'))).toEqual([]);
    });

    it('of time while the host is looked up, and while the archive is taken', async () => {
      const lookup = () => new Promise<never>(() => undefined);
      const words = 'fetching took longer than 1 seconds';
      expect(await refused(requestOf('https://git.example/a'), { lookup, seconds: 1 })).toBe(words);
      await repository.commit({ big: randomish(8 * mebibyte) });
      const server = await serve();
      const slow = fetcherWith({ seconds: 1 }).fetch(requestOf(server.url('app.git')), async (_commit, bytes) => {
        for await (const _chunk of bytes) await pause(100);
      });
      await expect(slow).rejects.toMatchObject({ code: 'repository/fetch-failed', message: words });
      expect(await readdir(temporaryDir)).toEqual([]);
    });

    it('by the service that stops', async () => {
      const server = await serve({ hangs: 'always' });
      const stopping = new AbortController();
      const fetching = fetched(requestOf(server.url('app.git')), { stopped: stopping.signal });
      fetching.catch(() => undefined);
      while (server.requests.length === 0) await pause(20);
      stopping.abort();
      await expect(fetching).rejects.toThrow('the service is shutting down');
      expect((await commandLines()).filter((line) => line.includes(server.host))).toEqual([]);
    });

    it('of size: what is fetched, what it unpacks to, what it packs to', async () => {
      const server = await serve();
      const url = server.url('app.git');
      await repository.commit({ big: randomish(4 * mebibyte) });
      expect(await refused(requestOf(url), { maxUnpackedBytes: mebibyte })).toBe(
        `the commit is larger than MAX_UNPACKED_BYTES allows (${mebibyte})`,
      );
      expect(await refused(requestOf(url), { maxArchiveBytes: mebibyte })).toBe(
        `the commit is larger than MAX_ARCHIVE_BYTES allows (${mebibyte})`,
      );
      await repository.commit({ big: Buffer.alloc(4 * mebibyte) });
      expect(await refused(requestOf(url), { maxUnpackedBytes: mebibyte })).toContain('MAX_UNPACKED_BYTES');
    });

    it('of memory: a small pack that unpacks to one large file', async () => {
      const server = await serve();
      await repository.commit({ big: Buffer.alloc(80 * mebibyte) });
      expect(await refused(requestOf(server.url('app.git')), { maxUnpackedBytes: mebibyte })).toContain(
        'MAX_UNPACKED_BYTES',
      );
    });

    it('of entries, even when a few objects make billions of them', async () => {
      const server = await serve();
      const blob = await repository.git('hash-object', '-w', join(repository.tree, 'main.tf'));
      const level = async (mode: string, kind: string, sha: string) => {
        const path = join(root, 'level');
        await writeFile(path, Array.from({ length: 10 }, (_, index) => `${mode} ${kind} ${sha}\tn${index}\n`).join(''));
        return repository.gitFrom(path, 'mktree');
      };
      let tree = await level('100644', 'blob', blob);
      for (let depth = 0; depth < 10; depth += 1) tree = await level('040000', 'tree', tree);
      const sha = await repository.git('commit-tree', '-m', 'many', tree);
      await repository.push(sha, 'refs/heads/many');
      expect(await refused(requestOf(server.url('app.git'), { ref: 'refs/heads/many' }))).toBe(
        'the commit has more entries than MAX_ARCHIVE_ENTRIES allows (100000)',
      );
    });
  });

  describe('runs nothing that the repository says', () => {
    it('neither filters nor attributes nor hooks, and leaves nothing out', async () => {
      const mark = join(root, 'executed');
      const files = {
        '.gitattributes': [
          '* filter=evil diff=evil merge=evil text eol=crlf ident',
          'subst.txt export-subst',
          'left-out.txt export-ignore',
          'encoded.txt working-tree-encoding=UTF-16LE',
          '',
        ].join('\n'),
        '.gitconfig': `[filter "evil"]\n\tsmudge = touch ${mark}\n\tprocess = touch ${mark}\n[tar "tar"]\n\tcommand = touch ${mark}\n`,
        config: `[core]\n\tfsmonitor = touch ${mark}\n`,
        'hooks/post-checkout': `#!/bin/sh\ntouch ${mark}\n`,
        'hooks/reference-transaction': `#!/bin/sh\ntouch ${mark}\n`,
        'subst.txt': '$Format:%H$ $Id$\n',
        'left-out.txt': 'here\n',
        'lines.txt': 'a\nb\n',
        'pointer.bin': 'version https://git-lfs.github.com/spec/v1\n',
      };
      await repository.git('config', 'core.attributesFile', '/dev/null');
      await repository.git('config', 'core.autocrlf', 'false');
      await writeFile(
        join(repository.tree, '.git', 'info', 'attributes'),
        '* -text !ident !eol !filter !working-tree-encoding\n',
      );
      await repository.commit(files, 'evil');
      await repository.configure('core.hooksPath', root);
      const server = await serve();
      const found = await fetched(requestOf(server.url('app.git')));
      expect(found.files).toMatchObject(files);
      await expect(stat(mark)).rejects.toMatchObject({ code: 'ENOENT' });
    });

    it('and fetches no submodule', async () => {
      const server = await serve();
      const other = await GitRepository.create(root, 'other.git');
      const sha = await other.commit({ 'secret.tf': 'other\n' });
      await repository.git('update-index', '--add', '--cacheinfo', `160000,${sha},other`);
      await writeFile(
        join(repository.tree, '.gitmodules'),
        `[submodule "other"]\n\tpath = other\n\turl = ${server.url('other.git')}\n`,
      );
      await repository.git('add', '.gitmodules');
      await repository.commitIndex('submodule');
      const found = await fetched(requestOf(server.url('app.git'), { ref: 'refs/heads/main' }));
      expect(found.files).toMatchObject({ 'other/': 'directory', 'main.tf': 'one\n' });
      expect(Object.keys(found.files)).not.toContain('other/secret.tf');
      expect(server.requests.filter(({ path }) => path.includes('other.git'))).toEqual([]);
    });

    it('and takes no option for anything else', async () => {
      const server = await serve();
      const url = server.url('app.git');
      const mark = join(root, 'executed');
      for (const cloneUrl of [
        `--upload-pack=touch\${IFS}${mark}`,
        `ext::sh\${IFS}-c\${IFS}touch`,
        `file://${root}/served/app.git`,
        `${root}/served/app.git`,
        'ssh://-oProxyCommand=touch/x',
        `git://${server.host}/app.git`,
        `http://-x:${server.port}/app.git`,
        `${url}\n--upload-pack=x`,
      ]) {
        expect(await refused(requestOf(cloneUrl))).toContain('the clone URL');
      }
      for (const ref of [
        `--upload-pack=touch ${mark}`,
        '--output=x',
        'main',
        'refs/heads/main:refs/heads/x',
        'refs/heads/*',
      ]) {
        expect(await refused(requestOf(url, { ref }))).toContain('the ref is not a full name');
      }
      for (const commitSha of [`--output=${mark}`, 'HEAD', 'ab'.repeat(19), `${'ab'.repeat(20)}^{tree}`]) {
        expect(await refused(requestOf(url, { commitSha }))).toContain('the commit must be given');
      }
      expect(server.requests).toEqual([]);
      await expect(stat(mark)).rejects.toMatchObject({ code: 'ENOENT' });
    });

    it('and hands on links as they are, for the inspector to judge', async () => {
      const server = await serve();
      await repository.git(
        'update-index',
        '--add',
        '--cacheinfo',
        `120000,${await repository.git('hash-object', '-w', await target('main.tf'))},inside`,
      );
      await repository.commitIndex('inside');
      expect((await fetched(requestOf(server.url('app.git')))).files).toMatchObject({ inside: '-> main.tf' });
      await repository.git(
        'update-index',
        '--add',
        '--cacheinfo',
        `120000,${await repository.git('hash-object', '-w', await target('../../etc/passwd'))},outside`,
      );
      await repository.commitIndex('outside');
      await expect(fetched(requestOf(server.url('app.git')))).rejects.toMatchObject({ code: 'bundle/malformed' });
    });
  });
});

/** A file with a link's target in it. */
async function target(words: string): Promise<string> {
  const path = join(root, 'target');
  await writeFile(path, words);
  return path;
}

/** Bytes that pack badly. */
function randomish(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 1;
  for (let at = 0; at < length; at += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes.writeUInt32LE((state ^ (state >>> 13)) >>> 0, at);
  }
  return bytes;
}
