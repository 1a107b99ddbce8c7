import { describe, it } from '@jest/globals';
import { killInUploads } from './crash.js';

describe('a service killed in the middle of an upload', () => {
  it(
    'comes back with the version pending and nothing stored, or uploaded with exactly the bytes',
    () => killInUploads(4),
    60_000,
  );
});
