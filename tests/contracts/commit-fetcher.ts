import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CommitFetcher, CommitRequest, FetchedCommit } from '../../src/application/index.js';
import { filesIn, gathered } from '../support/archives.js';

/** A fetcher, and a repository it can reach with commits on `main`. */
export interface Remote {
  readonly fetcher: CommitFetcher;
  readonly cloneUrl: string;
  /** A URL without a repository. */
  readonly absentUrl: string;
  /** Commits the files on top of the last push and returns the commit's hash. */
  push(branch: string, files: Readonly<Record<string, string>>, message: string): Promise<string>;
  /** Files that fetches left on disk. */
  leftovers(): Promise<readonly string[]>;
}

interface Fetched {
  readonly commit: FetchedCommit;
  readonly archive: Buffer;
}

/** The contract of every commit fetcher. */
export function aCommitFetcher(open: () => Promise<Remote>): void {
  describe('keeps the contract of a commit fetcher', () => {
    let remote: Remote;

    beforeEach(async () => {
      remote = await open();
    });

    const requestOf = (given: Partial<CommitRequest> = {}): CommitRequest => ({
      cloneUrl: remote.cloneUrl,
      credential: null,
      ref: null,
      commitSha: null,
      ...given,
    });

    const fetched = async (given?: Partial<CommitRequest>): Promise<Fetched> => {
      const found = await remote.fetcher.fetch(requestOf(given), async (commit, bytes) => ({
        commit,
        archive: await gathered(bytes),
      }));
      expect(await remote.leftovers()).toEqual([]);
      return found;
    };

    const contentsOf = async ({ archive }: Fetched): Promise<string | undefined> => (await filesIn(archive))['main.tf'];

    /** A failed fetch hands over nothing, and its sentence is safe to show. */
    const refused = async (given: Partial<CommitRequest>): Promise<void> => {
      let received = false;
      const attempt = remote.fetcher.fetch(requestOf(given), async () => {
        received = true;
      });
      await expect(attempt).rejects.toMatchObject({
        code: 'repository/fetch-failed',
        message: expect.stringMatching(/^[^\n]{10,}$/),
      });
      expect(received).toBe(false);
      expect(await remote.leftovers()).toEqual([]);
    };

    it('without a ref it is the tip of the default branch, and the branch is named', async () => {
      const sha = await remote.push('main', { 'main.tf': 'tip', 'modules/net/main.tf': 'net' }, 'At the tip');
      const found = await fetched();
      expect(found.commit).toEqual({ sha, message: 'At the tip', defaultBranch: 'main' });
      expect(await filesIn(found.archive)).toMatchObject({ 'main.tf': 'tip', 'modules/net/main.tf': 'net' });
    });

    it('with a ref it is the tip of that, and the default branch is named', async () => {
      const sha = await remote.push('feature/a', { 'main.tf': 'feature' }, 'On a branch');
      await remote.push('main', { 'main.tf': 'later' }, 'Later');
      const found = await fetched({ ref: 'refs/heads/feature/a' });
      expect(found.commit).toEqual({ sha, message: 'On a branch', defaultBranch: 'main' });
      expect(await contentsOf(found)).toBe('feature');
    });

    it('is where the ref stands when it is fetched', async () => {
      await remote.push('main', { 'main.tf': 'one' }, 'One');
      expect(await contentsOf(await fetched({ ref: 'refs/heads/main' }))).toBe('one');
      const sha = await remote.push('main', { 'main.tf': 'two' }, 'Two');
      const found = await fetched({ ref: 'refs/heads/main' });
      expect(found.commit.sha).toBe(sha);
      expect(await contentsOf(found)).toBe('two');
    });

    it.each([null, 'refs/heads/main'])('is exactly the commit asked for, with the ref %s', async (ref) => {
      const sha = await remote.push('main', { 'main.tf': 'wanted' }, 'Wanted');
      await remote.push('main', { 'main.tf': 'later' }, 'Later');
      const found = await fetched({ ref, commitSha: sha });
      expect(found.commit).toMatchObject({ sha, message: 'Wanted' });
      expect(await contentsOf(found)).toBe('wanted');
    });

    it('is the same bytes each time', async () => {
      const sha = await remote.push('main', { 'main.tf': 'same' }, 'Same');
      const first = await fetched({ ref: 'refs/heads/main' });
      const second = await fetched({ ref: 'refs/heads/main', commitSha: sha });
      expect(second.archive.equals(first.archive)).toBe(true);
    });

    it('is a directory of the commit alone, and then also the same bytes each time', async () => {
      const files = {
        'main.tf': 'root',
        'sets/net/main.tf': 'inside',
        'sets/net/rules/a.rego': 'a',
        'sets/b.txt': 'b',
      };
      const sha = await remote.push('main', files, 'With directories');
      const found = await fetched({ directory: 'sets/net' });
      expect(found.commit).toMatchObject({ sha, message: 'With directories' });
      const { 'rules/': _, ...packed } = await filesIn(found.archive);
      expect(packed).toEqual({ 'main.tf': 'inside', 'rules/a.rego': 'a' });
      expect((await fetched({ commitSha: sha, directory: 'sets/net' })).archive.equals(found.archive)).toBe(true);
    });

    it('is refused where the directory does not exist or is a file', async () => {
      await remote.push('main', { 'main.tf': 'root', 'sets/net/main.tf': 'inside' }, 'With directories');
      for (const directory of ['sets/gone', 'main.tf', 'sets/net/main.tf']) await refused({ directory });
    });

    it('is refused where the ref, the commit or the repository does not exist', async () => {
      await remote.push('main', { 'main.tf': 'there' }, 'There');
      await refused({ ref: 'refs/heads/gone' });
      await refused({ ref: 'refs/heads/main', commitSha: 'ab'.repeat(20) });
      await refused({ commitSha: 'ab'.repeat(20) });
      await refused({ cloneUrl: remote.absentUrl });
      await refused({ cloneUrl: remote.absentUrl, ref: 'refs/heads/main' });
    });

    it('passes on what the receiver throws, before, within and after the bytes', async () => {
      await remote.push('main', { 'main.tf': 'thrown away' }, 'Thrown away');
      const reason = new Error('no room');
      const throwing = [
        async () => {
          throw reason;
        },
        async (_commit: FetchedCommit, bytes: AsyncIterable<Uint8Array>) => {
          for await (const _ of bytes) throw reason;
        },
        async (_commit: FetchedCommit, bytes: AsyncIterable<Uint8Array>) => {
          await gathered(bytes);
          throw reason;
        },
      ];
      for (const receive of throwing) {
        await expect(remote.fetcher.fetch(requestOf(), receive)).rejects.toBe(reason);
        expect(await remote.leftovers()).toEqual([]);
      }
      expect(await contentsOf(await fetched())).toBe('thrown away');
    });

    it('answers what the receiver does, read or not', async () => {
      const sha = await remote.push('main', { 'main.tf': 'unread' }, 'Unread');
      expect(await remote.fetcher.fetch(requestOf(), async (commit) => commit.sha)).toBe(sha);
      expect(await remote.leftovers()).toEqual([]);
    });

    it('serves several at once', async () => {
      const shas = [
        await remote.push('main', { 'main.tf': 'a' }, 'A'),
        await remote.push('main', { 'main.tf': 'b' }, 'B'),
        await remote.push('main', { 'main.tf': 'c' }, 'C'),
      ];
      const contents = await Promise.all(
        shas.map((commitSha) =>
          remote.fetcher.fetch(requestOf({ ref: 'refs/heads/main', commitSha }), async (_, bytes) =>
            filesIn(await gathered(bytes)),
          ),
        ),
      );
      expect(contents.map((files) => files['main.tf'])).toEqual(['a', 'b', 'c']);
      expect(await remote.leftovers()).toEqual([]);
    });
  });
}
