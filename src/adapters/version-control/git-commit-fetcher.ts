import { lookup as lookupName } from 'node:dns/promises';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { CommitFetcher, CommitRequest, FetchedCommit } from '../../application/ports/outside/commit-fetcher.js';
import { type Credential, credentialFor } from './credentials.js';
import { fetchFailed, lastComplaint, tooLarge } from './fetch-faults.js';
import { type GitOutcome, GitProcesses, watchingSize } from './git-processes.js';
import { authorizationOf, environmentOf } from './git-settings.js';
import { isPublicAddress } from './public-addresses.js';
import { hostOf, isAllowedHost, isCommitSha, isFullRef, readCloneUrl } from './repository-url.js';

export type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>;

export interface GitCommitFetcherOptions {
  /** One file per credential: lines of `url=`, `username=` and `password=`. */
  readonly credentialsDir: string | undefined;
  /** Hosts, as `name` or `name:port`, that may have a private address and may be asked without TLS. */
  readonly allowedHosts: readonly string[];
  readonly maxArchiveBytes: number;
  /** Bounds what is fetched, too. */
  readonly maxUnpackedBytes: number;
  readonly maxArchiveEntries?: number;
  /** From the first look at the host until the archive is packed, and so taken by whoever receives it. */
  readonly seconds?: number;
  readonly temporaryDir?: string;
  /** The program. */
  readonly git?: string;
  readonly lookup?: Lookup;
  /** Ends what is being fetched when the service stops: those processes would outlive it. */
  readonly stopped?: AbortSignal;
}

export const defaultSeconds = 120;
const defaultEntries = 100_000;
/** How far back from the ref a commit is looked for that the remote does not hand out by its name. */
const depthSearched = 100;
const longestMessage = 64 * 1024;
/** Less would not do for git itself. */
const leastMemory = 64 * 1024 * 1024;
/** The first version that connects to the address it is told; those before it pass over the setting in silence. */
const oldestGit = [2, 37] as const;

/**
 * What the remote's files ask of git goes unheard: conversions, substitutions and omissions would make the archive
 * something else than the commit. This file is the one that overrules theirs.
 */
const attributes = '* !text !eol !crlf !ident !filter !working-tree-encoding !export-ignore !export-subst\n';

export class GitCommitFetcher implements CommitFetcher {
  constructor(private readonly options: GitCommitFetcherOptions) {}

  async fetch<Result>(
    request: CommitRequest,
    receive: (commit: FetchedCommit, archive: AsyncIterable<Uint8Array>) => Promise<Result>,
  ): Promise<Result> {
    const { options } = this;
    const { seconds = defaultSeconds, stopped } = options;
    const url = checked(request, options.allowedHosts);
    const ending = new AbortController();
    const timer = setTimeout(
      () => ending.abort(fetchFailed(`fetching took longer than ${seconds} seconds`)),
      seconds * 1000,
    );
    const stop = () => ending.abort(new Error('fetching was ended because the service stops'));
    stopped?.addEventListener('abort', stop, { once: true });
    if (stopped?.aborted) stop();
    try {
      const credential =
        request.credential === null ? undefined : await credentialFor(options.credentialsDir, request.credential, url);
      const addresses = await unlessEnded(addressesOf(url, options), ending.signal);
      return await inFreshDirectory(options.temporaryDir ?? tmpdir(), async (directory) => {
        const checkout = new Checkout(options, { request, url, credential, addresses, directory, ending });
        try {
          const commit = await checkout.fetch();
          return await receive(commit, checkout.pack(commit.sha));
        } finally {
          ending.abort(new Error('the fetch is over'));
          await checkout.settled();
        }
      });
    } finally {
      clearTimeout(timer);
      stopped?.removeEventListener('abort', stop);
    }
  }
}

interface Task {
  readonly request: CommitRequest;
  readonly url: URL;
  readonly credential: Credential | undefined;
  readonly addresses: readonly string[];
  readonly directory: string;
  readonly ending: AbortController;
}

interface RemoteTip {
  readonly ref: string;
  readonly sha: string;
}

/** One fetch, in a directory of its own. */
class Checkout {
  private readonly git: GitProcesses;
  private readonly repository: string;
  private readonly secrets: readonly string[];

  constructor(
    private readonly options: GitCommitFetcherOptions,
    private readonly task: Task,
  ) {
    const { url, credential, addresses, directory, ending } = task;
    this.repository = join(directory, 'repository');
    this.secrets = credential ? [credential.password, authorizationOf(credential).replace('Basic ', '')] : [];
    this.git = new GitProcesses({
      program: options.git ?? 'git',
      directory,
      environment: environmentOf({
        url,
        addresses,
        credential,
        directory,
        repository: this.repository,
        memoryBytes: Math.max(options.maxUnpackedBytes, leastMemory),
        silentSeconds: Math.ceil(options.seconds ?? defaultSeconds),
      }),
      signal: ending.signal,
    });
  }

  async settled(): Promise<void> {
    await this.git.settled();
  }

  async fetch(): Promise<FetchedCommit> {
    const { ref, commitSha } = this.task.request;
    await this.checkVersion();
    const tip = ref === null || commitSha === null ? await this.tipOf(ref) : undefined;
    await this.initialize((commitSha ?? tip?.sha ?? '').length);
    const sha = await this.fetchCommit(tip?.ref ?? ref ?? 'HEAD');
    await this.countEntries(sha);
    const defaultBranch = ref === null && tip?.ref.startsWith(branches) ? tip.ref.slice(branches.length) : undefined;
    return { sha, message: await this.messageOf(sha), defaultBranch };
  }

  /** The commit's tree as a `.tar.gz`; the same bytes each time. */
  async *pack(sha: string): AsyncGenerator<Uint8Array> {
    const { maxArchiveBytes } = this.options;
    const { output, outcome } = this.git.start(['archive', '--format=tar', sha]);
    const gzip = createGzip();
    const packing = pipeline(output, (tar: AsyncIterable<Buffer>) => this.unpackedBytes(tar, outcome), gzip);
    // Whatever it is, whoever reads the other end gets it.
    packing.catch(() => undefined);
    let bytes = 0;
    for await (const chunk of gzip as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxArchiveBytes) throw tooLarge('the commit is larger', 'MAX_ARCHIVE_BYTES', maxArchiveBytes);
      yield chunk;
    }
  }

  /** Ends only if git ended well: half an archive must not look like a whole one. */
  private async *unpackedBytes(tar: AsyncIterable<Buffer>, outcome: Promise<GitOutcome>): AsyncGenerator<Buffer> {
    outcome.catch(() => undefined);
    const { maxUnpackedBytes } = this.options;
    let bytes = 0;
    try {
      for await (const chunk of tar) {
        bytes += chunk.length;
        if (bytes > maxUnpackedBytes) throw this.overUnpacked();
        yield chunk;
      }
    } catch (error) {
      // The pipe breaks when git is made to end; why it was says more.
      this.task.ending.signal.throwIfAborted();
      throw error;
    }
    const ended = await outcome;
    if (ended.code !== 0) throw this.failure(ended);
  }

  private async checkVersion(): Promise<void> {
    const { printed } = await this.git.run(['version']);
    const [major = 0, minor = 0] = (/^git version (\d+)\.(\d+)/.exec(printed)?.slice(1) ?? []).map(Number);
    const [oldestMajor, oldestMinor] = oldestGit;
    if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
    throw fetchFailed(`the git that is installed on the server is older than ${oldestGit.join('.')}`);
  }

  /** Where the ref stands, or the remote's default branch and where that stands. */
  private async tipOf(ref: string | null): Promise<RemoteTip> {
    const asked = ref ?? 'HEAD';
    const listed = await this.git.run(['ls-remote', '--symref', '--quiet', '--', this.task.url.href, asked]);
    if (listed.code !== 0) throw this.failure(listed);
    const lines = listed.printed.split('\n').map((line) => line.split('\t'));
    // A pattern matches the ends of names, so that others may be listed too.
    const said = lines.filter(([, name]) => name === asked).map(([value = '']) => value);
    const sha = said.find(isCommitSha);
    if (sha === undefined) {
      throw fetchFailed(
        ref === null ? 'the repository has no commits yet' : `${called(ref)} does not exist in the repository`,
      );
    }
    const target = ref ?? said.find((value) => value.startsWith('ref: '))?.slice('ref: '.length);
    return { ref: target !== undefined && isFullRef(target) ? target : asked, sha };
  }

  private async initialize(shaLength: number): Promise<void> {
    const format = shaLength === 64 ? 'sha256' : 'sha1';
    const made = await this.git.run([
      'init',
      '--bare',
      '--quiet',
      '--template=',
      `--object-format=${format}`,
      '--initial-branch=none',
      this.repository,
    ]);
    if (made.code !== 0) throw new Error(`git init failed: ${lastComplaint(made.complaints, [])}`);
    await mkdir(join(this.repository, 'info'), { recursive: true });
    await writeFile(join(this.repository, 'info', 'attributes'), attributes);
  }

  private async fetchCommit(ref: string): Promise<string> {
    const { commitSha } = this.task.request;
    if (commitSha === null) {
      const fetched = await this.fetchRef(ref, 1);
      if (fetched.code !== 0) throw this.failure(fetched, ref);
      const sha = await this.commitNamed('FETCH_HEAD');
      if (sha === undefined) throw fetchFailed(`${called(ref)} does not lead to a commit`);
      return sha;
    }
    const exact = await this.fetchRef(commitSha, 1);
    if (exact.code !== 0) {
      if (!/not our ref|unadvertised object|couldn't find remote ref/.test(exact.complaints)) throw this.failure(exact);
      const searched = await this.fetchRef(ref, depthSearched);
      if (searched.code !== 0) throw this.failure(searched, ref);
    }
    if ((await this.commitNamed(commitSha)) === commitSha) return commitSha;
    throw fetchFailed(
      exact.code === 0
        ? `${commitSha} is not a commit of the repository`
        : `the commit ${commitSha} is not in the repository, or not among the last ${depthSearched} of ${called(ref)}`,
    );
  }

  private fetchRef(what: string, depth: number): Promise<GitOutcome> {
    const { maxUnpackedBytes } = this.options;
    const { directory, ending, url } = this.task;
    const fetching = this.git.run([
      'fetch',
      `--depth=${depth}`,
      '--no-tags',
      '--no-recurse-submodules',
      '--no-auto-maintenance',
      '--quiet',
      '--no-progress',
      '--refmap=',
      '--',
      url.href,
      what,
    ]);
    return watchingSize(directory, maxUnpackedBytes, () => ending.abort(this.overUnpacked()), fetching);
  }

  /** The commit itself, whatever tags lead to it. */
  private async commitNamed(revision: string): Promise<string | undefined> {
    const parsed = await this.git.run(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
    const sha = parsed.printed.trim();
    return parsed.code === 0 && isCommitSha(sha) ? sha : undefined;
  }

  /**
   * Walks the tree without keeping it. A few trees that hold each other many times make more entries than any memory
   * has room for, and the packing keeps all of them.
   */
  private async countEntries(sha: string): Promise<void> {
    const { maxArchiveEntries = defaultEntries } = this.options;
    const { output, outcome } = this.git.start(['ls-tree', '-r', '-t', '-z', '--name-only', '--full-tree', sha]);
    let entries = 0;
    output.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 0) entries += 1;
      if (entries <= maxArchiveEntries) return;
      this.task.ending.abort(tooLarge('the commit has more entries', 'MAX_ARCHIVE_ENTRIES', maxArchiveEntries));
    });
    const listed = await outcome;
    if (listed.code !== 0) throw this.failure(listed);
  }

  private async messageOf(sha: string): Promise<string> {
    const args = ['log', '-1', '--no-show-signature', '--no-mailmap', '--encoding=UTF-8', '--format=%B', sha, '--'];
    const logged = await this.git.run(args, longestMessage);
    if (logged.code !== 0) throw this.failure(logged);
    return logged.printed.trimEnd();
  }

  private overUnpacked(): Error {
    const { maxUnpackedBytes } = this.options;
    return tooLarge('the commit is larger', 'MAX_UNPACKED_BYTES', maxUnpackedBytes);
  }

  /** What to tell of a git that failed; nothing of what it says is left as it is. */
  private failure({ code, complaints }: GitOutcome, ref?: string): Error {
    const { request, url, directory } = this.task;
    const said = lastComplaint(complaints, [...this.secrets, directory]);
    const own = complaints.replace(/^remote:.*$|remote error:.*$/gm, '');
    const matches = (pattern: RegExp) => pattern.test(own);
    if (matches(/No space left on device|Read-only file system|Disk quota exceeded/))
      return new Error(`git failed: ${said}`);
    if (matches(/attempting to allocate/)) return this.overUnpacked();
    if (matches(/couldn't find remote ref/) && ref !== undefined) {
      return fetchFailed(`${called(ref)} does not exist in the repository`);
    }
    if (
      matches(/could not read (?:Username|Password)|Authentication failed|error: 40[134]|repository '.*' not found/)
    ) {
      const needs =
        request.credential === null ? 'needs a credential' : `the credential "${request.credential}" may not read it`;
      return fetchFailed(`the repository could not be read: it does not exist, or ${needs}`);
    }
    if (matches(/error: 30\d|redirect/)) {
      return fetchFailed('the repository has moved: its host redirects, which is not followed; link the new address');
    }
    if (matches(/dumb http transport|not valid: is this a git repository/)) {
      return fetchFailed('no git repository is served at the clone URL');
    }
    if (matches(/Could not resolve host|Failed to connect|Couldn't connect|Connection (?:refused|reset|timed out)/)) {
      return fetchFailed(`${url.host} could not be reached`);
    }
    return fetchFailed(`git could not read the repository: ${said || `it ended with ${code ?? 'a signal'}`}`);
  }
}

const branches = 'refs/heads/';

function called(ref: string): string {
  if (ref === 'HEAD') return 'the default branch';
  if (ref.startsWith(branches)) return `the branch "${ref.slice(branches.length)}"`;
  return ref.startsWith('refs/tags/') ? `the tag "${ref.slice('refs/tags/'.length)}"` : `the ref "${ref}"`;
}

function checked({ cloneUrl, ref, commitSha }: CommitRequest, allowedHosts: readonly string[]): URL {
  const url = readCloneUrl(cloneUrl);
  if (typeof url === 'string') throw fetchFailed(url);
  if (url.protocol === 'http:' && !isAllowedHost(url, allowedHosts)) {
    throw fetchFailed(`the clone URL must begin with https://, unless VCS_ALLOWED_HOSTS names ${url.host}`);
  }
  if (ref !== null && !isFullRef(ref)) throw fetchFailed('the ref is not a full name such as refs/heads/main');
  if (commitSha !== null && !isCommitSha(commitSha)) {
    throw fetchFailed('the commit must be named by all 40 or 64 hexadecimal digits of its hash');
  }
  return url;
}

/**
 * Where the host is, asked once: git connects to these and asks nobody again. None for a host that is an address.
 * One private address among several is enough to refuse them all, for it is not ours to say which is taken.
 */
async function addressesOf(url: URL, options: GitCommitFetcherOptions): Promise<readonly string[]> {
  const host = hostOf(url);
  const literal = isIP(host) !== 0;
  const addresses = literal ? [host] : await lookedUp(host, options.lookup);
  if (addresses.length === 0) throw fetchFailed(`no address is known for the host ${host}`);
  if (!isAllowedHost(url, options.allowedHosts) && !addresses.every(isPublicAddress)) {
    const what = literal ? `${host} is a private address` : `${host} resolves to a private address`;
    throw fetchFailed(`${what}; name it in VCS_ALLOWED_HOSTS to allow it`);
  }
  return literal ? [] : addresses;
}

const everyAddress: Lookup = (host) => lookupName(host, { all: true });

async function lookedUp(host: string, lookup: Lookup = everyAddress): Promise<readonly string[]> {
  const found = await lookup(host).catch(() => []);
  // Only what is an address can be written into a setting of git.
  return found.map(({ address }) => address).filter((address) => isIP(address) !== 0 && !address.includes('%'));
}

/** A look at the host cannot be broken off; only the waiting for it can. */
async function unlessEnded<Result>(operation: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  let stop = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([operation, ended]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function inFreshDirectory<Result>(parent: string, work: (directory: string) => Promise<Result>): Promise<Result> {
  // Made with mode 0700.
  const directory = await mkdtemp(join(parent, 'gatehouse-fetch-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
