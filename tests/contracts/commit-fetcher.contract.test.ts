import { describe } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { MemoryCommitFetcher } from '../support/memory-commit-fetcher.js';
import { aCommitFetcher } from './commit-fetcher.js';

describe('repositories in memory, which stand for real ones elsewhere', () => {
  aCommitFetcher(async () => {
    const fetcher = new MemoryCommitFetcher();
    const cloneUrl = 'https://git.example.com/acme/app.git';
    fetcher.push(cloneUrl, 'main', await archiveOf({ 'main.tf': 'one\n' }), 'first');
    return {
      fetcher,
      cloneUrl,
      absentUrl: 'https://git.example.com/acme/none.git',
      push: async (branch, files, message) => fetcher.push(cloneUrl, branch, await archiveOf(files), message),
      leftovers: async () => [],
    };
  });
});
