import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { CommitRequest, FetchedCommit } from '../../application/ports/outside/commit-fetcher.js';
import type { Credential } from './credentials.js';
import { branches, called, faultIn, fetchFailed, lastComplaint, tooLarge } from './fetch-faults.js';
import { type GitOutcome, GitProcesses, watchingSize } from './git-processes.js';
import { authorizationOf, environmentOf } from './git-settings.js';
import { isCommitSha, isFullRef } from './repository-url.js';

export interface GitLimits {
  readonly maxArchiveBytes: number;
  /** Also limits the fetched bytes. */
  readonly maxUnpackedBytes: number;
  readonly maxArchiveEntries?: number;
  /** The program. */
  readonly git?: string;
}

const defaultEntries = 100_000;
/** How many commits behind the ref to search for a commit that the remote does not serve by id. */
const depthSearched = 100;
const longestMessage = 64 * 1024;
/** Git itself needs at least this much. */
const leastMemory = 64 * 1024 * 1024;
/** The first version that connects to the address it is given; older ones silently ignore the setting. */
const oldestGit = [2, 37] as const;

/**
 * Ignores attributes in the repository: conversions, substitutions and omissions would make the archive differ from the
 * commit. This file overrides the repository's.
 */
const attributes = '* !text !eol !crlf !ident !filter !working-tree-encoding !export-ignore !export-subst\n';

export interface Task {
  readonly request: CommitRequest;
  readonly url: URL;
  readonly credential: Credential | undefined;
  readonly addresses: readonly string[];
  readonly directory: string;
  readonly ending: AbortController;
  /** For each answer of the host to begin, and between two parts of one. */
  readonly silentSeconds: number;
}

interface RemoteTip {
  readonly ref: string;
  readonly sha: string;
  readonly defaultBranch: string | undefined;
}

/** One fetch, in a directory of its own. */
export class GitCheckout {
  private readonly git: GitProcesses;
  private readonly repository: string;
  private readonly secrets: readonly string[];

  constructor(
    private readonly options: GitLimits,
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
        silentSeconds: Math.ceil(task.silentSeconds),
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
    return { sha, message: await this.messageOf(sha), defaultBranch: tip?.defaultBranch };
  }

  /** The commit to pack. A directory gets a commit of its own, because packing a bare tree takes the current time. */
  async packed(sha: string): Promise<string> {
    const { directory = '' } = this.task.request;
    if (directory === '') return sha;
    const entry = await this.objectNamed(`${sha}:${directory}`);
    const tree = entry && (await this.objectNamed(`${entry}^{tree}`));
    if (!tree) throw fetchFailed(`the directory ${directory} does not exist in the commit ${sha}`);
    const file = join(this.task.directory, 'commit');
    await writeFile(file, `tree ${tree}\nauthor Gatehouse <> 0 +0000\ncommitter Gatehouse <> 0 +0000\n\n`);
    return (await this.printed(['hash-object', '-t', 'commit', '-w', '--', file])).trim();
  }

  /** The commit's tree as a `.tar.gz`; the same bytes each time. */
  async *pack(sha: string): AsyncGenerator<Uint8Array> {
    const { maxArchiveBytes } = this.options;
    const { output, outcome } = this.git.start(['archive', '--format=tar', sha]);
    const gzip = createGzip();
    const packing = pipeline(output, (tar: AsyncIterable<Buffer>) => this.unpackedBytes(tar, outcome), gzip);
    // The reader of the archive receives the same error.
    packing.catch(() => undefined);
    let bytes = 0;
    for await (const chunk of gzip as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxArchiveBytes) throw tooLarge('the commit is larger', 'MAX_ARCHIVE_BYTES', maxArchiveBytes);
      yield chunk;
    }
  }

  /** Ends only if git succeeded: half an archive must not look like a whole one. */
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
      // The pipe breaks when git is stopped; the reason for that is the better error.
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
    throw fetchFailed(`git on the server is older than ${oldestGit.join('.')}`);
  }

  /** The commit of the ref or of the remote's default branch, which is named in either case. */
  private async tipOf(ref: string | null): Promise<RemoteTip> {
    const asked = ref ?? 'HEAD';
    const silence = this.silence();
    const names = new Set(['HEAD', asked]);
    const listing = this.printed(['ls-remote', '--symref', '--quiet', '--', this.task.url.href, ...names]);
    const listed = await listing.finally(() => silence.broken());
    const lines = listed.split('\n').map((line) => line.split('\t'));
    // A pattern matches the ends of names, so other refs may be listed too.
    const said = (of: string) => lines.filter(([, name]) => name === of).map(([value = '']) => value);
    const sha = said(asked).find(isCommitSha);
    if (sha === undefined) {
      throw fetchFailed(
        ref === null ? 'the repository has no commits yet' : `${called(ref)} does not exist in the repository`,
      );
    }
    const head = said('HEAD')
      .map((value) => value.replace(/^ref: /, ''))
      .find(isFullRef);
    const defaultBranch = head?.startsWith(branches) ? head.slice(branches.length) : undefined;
    return { ref: ref ?? head ?? asked, sha, defaultBranch };
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
      if (sha === undefined) throw fetchFailed(`${called(ref)} does not point to a commit`);
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
        : `the commit ${commitSha} is not in the repository or not among the last ${depthSearched} commits of ${called(ref)}`,
    );
  }

  private fetchRef(what: string, depth: number): Promise<GitOutcome> {
    const { maxUnpackedBytes } = this.options;
    const { directory, ending, url } = this.task;
    const silence = this.silence();
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
    let before: number | undefined;
    const look = (bytes: number) => {
      before ??= bytes;
      if (bytes > before) silence.broken();
      if (bytes > maxUnpackedBytes) ending.abort(this.overUnpacked());
    };
    return watchingSize(directory, look, fetching).finally(() => silence.broken());
  }

  /** The commit itself, with any tags that lead to it resolved. */
  private commitNamed(revision: string): Promise<string | undefined> {
    return this.objectNamed(`${revision}^{commit}`);
  }

  private async objectNamed(revision: string): Promise<string | undefined> {
    const parsed = await this.git.run(['rev-parse', '--verify', '--quiet', '--end-of-options', revision]);
    const sha = parsed.printed.trim();
    return parsed.code === 0 && isCommitSha(sha) ? sha : undefined;
  }

  /**
   * Walks the tree without keeping it. A few trees that contain each other many times make more entries than fit in
   * memory, and the packing keeps all of them.
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
    return (await this.printed(args, longestMessage)).trimEnd();
  }

  /** Ends the fetch unless the host answers in time. Once it does, git itself waits no longer between two parts. */
  private silence(): { readonly broken: () => void } {
    const { ending, silentSeconds, url } = this.task;
    const silent = fetchFailed(`${url.host} was silent for ${silentSeconds} seconds`);
    const timer = setTimeout(() => ending.abort(silent), silentSeconds * 1000);
    return { broken: () => clearTimeout(timer) };
  }

  private overUnpacked(): Error {
    const { maxUnpackedBytes } = this.options;
    return tooLarge('the commit is larger', 'MAX_UNPACKED_BYTES', maxUnpackedBytes);
  }

  private async printed(args: readonly string[], bytesKept?: number): Promise<string> {
    const ended = await this.git.run(args, bytesKept);
    if (ended.code !== 0) throw this.failure(ended);
    return ended.printed;
  }

  /** The error for a failed git; git's own output is never passed on unchanged. */
  private failure({ code, complaints }: GitOutcome, ref?: string): Error {
    const { request, url, directory } = this.task;
    const said = lastComplaint(complaints, [...this.secrets, directory]);
    const own = complaints.replace(/^remote:.*$|remote error:.*$/gm, '');
    if (/No space left on device|Read-only file system|Disk quota exceeded/.test(own)) {
      return new Error(`git failed: ${said}`);
    }
    if (/attempting to allocate/.test(own)) return this.overUnpacked();
    return fetchFailed(
      faultIn(own, { host: url.host, credential: request.credential, ref }) ??
        `git could not read the repository: ${said || `it exited with ${code ?? 'a signal'}`}`,
    );
  }
}
