const { statfsSync } = require('node:fs');
const { tmpdir } = require('node:os');

const inMemory = '/dev/shm';
const enough = 512 * 1024 * 1024;

/**
 * Where files go that are gone when the tests end. Where the system keeps files in memory, and has room, nothing waits for
 * a disk: what reaches one, and when, is looked at by tests of the built service.
 */
function directory() {
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    if (bavail * bsize > enough) return inMemory;
  } catch {
    // Not every system has it.
  }
  return tmpdir();
}

module.exports = directory();
