import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/** The thread of `Checkpoints`: a message asks for a checkpoint, `end` for the end. */
const connection = new Database(workerData as string, { fileMustExist: true });

parentPort?.on('message', (message: 'copy' | 'end') => {
  if (message === 'end') {
    connection.close();
    parentPort?.close();
    return;
  }
  try {
    connection.pragma('wal_checkpoint(passive)');
  } catch {
    // A full disk, for one. The next commit fails for it as well, or asks again.
  }
  parentPort?.postMessage('copied');
});
