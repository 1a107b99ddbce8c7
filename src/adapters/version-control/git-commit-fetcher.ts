import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommitFetcher, CommitRequest, FetchedCommit } from '../../application/ports/outside/commit-fetcher.js';
import { credentialFor } from './credentials.js';
import { fetchFailed } from './fetch-faults.js';
import { GitCheckout, type GitLimits } from './git-checkout.js';
import { addressesOf, type Lookup } from './host-addresses.js';
import { reachable } from './reachable.js';
import { isAllowedHost, isCommitSha, isDirectory, isFullRef, readCloneUrl } from './repository-url.js';

export interface GitCommitFetcherOptions extends GitLimits {
  /** One file per credential: lines of `url=`, `username=` and `password=`. */
  readonly credentialsDir: string | undefined;
  /** Hosts, as `name` or `name:port`, that may have a private address and may be reached without TLS. */
  readonly allowedHosts: readonly string[];
  /** From the first lookup of the host until the archive is packed and the caller has read it. */
  readonly seconds?: number;
  /** For a connection to the host. */
  readonly connectSeconds?: number;
  /** For each of its answers to begin, and between two parts of one. */
  readonly silentSeconds?: number;
  readonly temporaryDir?: string;
  readonly lookup?: Lookup;
  /** Resolves once the host takes a connection. */
  readonly reach?: typeof reachable;
  /** Ends running fetches when the service stops: their processes would outlive it. */
  readonly stopped?: AbortSignal;
}

export const defaultSeconds = 120;
const defaultConnectSeconds = 10;
/** Long enough for a server that packs a large repository. */
const defaultSilentSeconds = 60;

export class GitCommitFetcher implements CommitFetcher {
  constructor(private readonly options: GitCommitFetcherOptions) {}

  async fetch<Result>(
    request: CommitRequest,
    receive: (commit: FetchedCommit, archive: AsyncIterable<Uint8Array>) => Promise<Result>,
  ): Promise<Result> {
    const { options } = this;
    const { seconds = defaultSeconds, silentSeconds = defaultSilentSeconds, stopped } = options;
    const url = checked(request, options.allowedHosts);
    const ending = new AbortController();
    const timer = abortAfter(seconds, ending, `fetching took longer than ${seconds} seconds`);
    const stop = () => ending.abort(new Error('fetching was stopped because the service is shutting down'));
    stopped?.addEventListener('abort', stop, { once: true });
    if (stopped?.aborted) stop();
    try {
      const credential =
        request.credential === null ? undefined : await credentialFor(options.credentialsDir, request.credential, url);
      const addresses = await rejectWhenEnded(addressesOf(url, options.allowedHosts, options.lookup), ending.signal);
      this.giveUpUnreachable(url, addresses, ending);
      return await inFreshDirectory(options.temporaryDir ?? tmpdir(), async (directory) => {
        const checkout = new GitCheckout(options, {
          request,
          url,
          credential,
          addresses,
          directory,
          ending,
          silentSeconds,
        });
        try {
          const commit = await checkout.fetch();
          return await receive(commit, checkout.pack(await checkout.packed(commit.sha)));
        } finally {
          ending.abort(new Error('the fetch has ended'));
          await checkout.settled();
        }
      });
    } finally {
      clearTimeout(timer);
      stopped?.removeEventListener('abort', stop);
    }
  }

  /** Runs at the same time as git, so that it costs none. */
  private giveUpUnreachable(url: URL, addresses: readonly string[], ending: AbortController): void {
    const { connectSeconds = defaultConnectSeconds, reach = reachable } = this.options;
    const because = `${url.host} did not accept a connection within ${connectSeconds} seconds`;
    const timer = abortAfter(connectSeconds, ending, because);
    void reach(url, addresses, ending.signal).finally(() => clearTimeout(timer));
  }
}

const abortAfter = (seconds: number, ending: AbortController, because: string): NodeJS.Timeout =>
  setTimeout(() => ending.abort(fetchFailed(because)), seconds * 1000);

function checked({ cloneUrl, ref, commitSha, directory = '' }: CommitRequest, allowedHosts: readonly string[]): URL {
  const url = readCloneUrl(cloneUrl);
  if (typeof url === 'string') throw fetchFailed(url);
  if (url.protocol === 'http:' && !isAllowedHost(url, allowedHosts)) {
    throw fetchFailed(`the clone URL must begin with https://, unless VCS_ALLOWED_HOSTS names ${url.host}`);
  }
  if (ref !== null && !isFullRef(ref)) throw fetchFailed('the ref is not a full name such as refs/heads/main');
  if (commitSha !== null && !isCommitSha(commitSha)) {
    throw fetchFailed('the commit must be given as a full hash of 40 or 64 hexadecimal digits');
  }
  if (directory !== '' && !isDirectory(directory)) {
    throw fetchFailed('the directory must be a path below the root of the repository');
  }
  return url;
}

/** A lookup of the host cannot be canceled; only the wait for it can. */
async function rejectWhenEnded<Result>(operation: Promise<Result>, signal: AbortSignal): Promise<Result> {
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
