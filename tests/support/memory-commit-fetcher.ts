import type { CommitFetcher, CommitRequest, FetchedCommit } from '../../src/application/index.js';
import { DomainError } from '../../src/domain/index.js';
import { archiveOf, filesIn } from './archives.js';

interface Commit {
  readonly message: string;
  readonly archive: Buffer;
}

/** Repositories in this process's memory. Fetching an unknown commit fails as a real fetch does. */
export class MemoryCommitFetcher implements CommitFetcher {
  private readonly commits = new Map<string, Commit>();
  private readonly refs = new Map<string, string>();
  /** The requests, in order. */
  readonly asked: CommitRequest[] = [];
  /** Promises that delay a commit's files, by its sha: a slow repository. */
  readonly delays = new Map<string, Promise<unknown>>();
  /** Throws instead, as a fault of this machine would. */
  broken: Error | undefined;

  /** The commit's sha is made of its number. */
  push(cloneUrl: string, branch: string, archive: Buffer, message = 'A change'): string {
    const sha = (this.commits.size + 1).toString(16).padStart(40, '0');
    this.commits.set(`${cloneUrl} ${sha}`, { message, archive });
    this.refs.set(`${cloneUrl} refs/heads/${branch}`, sha);
    if (!this.refs.has(`${cloneUrl} HEAD`)) this.refs.set(`${cloneUrl} HEAD`, `refs/heads/${branch}`);
    return sha;
  }

  async fetch<Result>(
    request: CommitRequest,
    receive: (commit: FetchedCommit, archive: AsyncIterable<Uint8Array>) => Promise<Result>,
  ): Promise<Result> {
    this.asked.push(request);
    if (this.broken !== undefined) throw this.broken;
    const { cloneUrl, commitSha } = request;
    const head = this.refs.get(`${cloneUrl} HEAD`);
    const ref = request.ref ?? head;
    const sha = commitSha ?? this.refs.get(`${cloneUrl} ${ref}`);
    const commit = this.commits.get(`${cloneUrl} ${sha}`);
    if (sha === undefined || commit === undefined) {
      throw new DomainError('repository/fetch-failed', `${ref ?? cloneUrl} does not exist in the repository`);
    }
    const isKnown = request.ref === null || commitSha === null;
    const defaultBranch = isKnown ? head?.replace('refs/heads/', '') : undefined;
    await this.delays.get(sha);
    const archive = request.directory ? await directoryOf(commit.archive, request.directory) : commit.archive;
    return receive({ sha, message: commit.message, defaultBranch }, one(archive));
  }
}

async function directoryOf(archive: Buffer, directory: string): Promise<Buffer> {
  const inside = Object.entries(await filesIn(archive)).filter(([name]) => name.startsWith(`${directory}/`));
  if (inside.length === 0) {
    throw new DomainError('repository/fetch-failed', `the directory ${directory} does not exist in the commit`);
  }
  return archiveOf(Object.fromEntries(inside.map(([name, text]) => [name.slice(directory.length + 1), text])));
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
