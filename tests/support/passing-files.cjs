const { statfsSync } = require('node:fs');

const inMemory = '/dev/shm';
const enough = 512 * 1024 * 1024;

/**
 * What these suites write is gone when they end. Where the system keeps files in memory, and has room, nothing waits for
 * a disk: what reaches one, and when, is looked at by tests of the built service.
 */
try {
  const { bavail, bsize } = statfsSync(inMemory);
  if (bavail * bsize > enough) process.env.TMPDIR = inMemory;
} catch {
  // Not every system has it.
}
