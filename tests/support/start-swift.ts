import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from './process.js';

// The system's Python, which has Swift's packages: PATH may name another one first.
const python = '/usr/bin/python3';
const script = fileURLToPath(new URL('./swift-s3.py', import.meta.url));

export const swiftIsInstalled = (): boolean =>
  spawnSync(python, ['-c', 'import swift.common.middleware.s3api']).status === 0;

export interface Swift {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  stop(): Promise<void>;
}

/** OpenStack Swift with its S3 face, empty, on loopback; as an ordinary user if the tests run as root. */
export async function startSwift(): Promise<Swift> {
  const directory = await temporaryDirectory();
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (nobody.uid !== undefined) await chown(directory, nobody.uid, nobody.gid);
  const [accessKeyId, secretAccessKey] = ['test:tester', 'a-secret-for-tests'];
  // Passed as text: its user may not have access to the project's directories.
  const program = await readFile(script, 'utf8');
  const child = spawn(python, ['-B', '-c', program, directory, accessKeyId, secretAccessKey], {
    ...nobody,
    cwd: directory,
    env: { HOME: directory, TMPDIR: directory },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  const stop = async () => {
    child.stdin.end();
    const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await exited;
    clearTimeout(late);
    await rm(directory, { recursive: true, force: true });
  };
  const failed = exited.then(([code]) => {
    throw new Error(`Swift ended with ${code}:\n${complaint}`);
  });
  try {
    const [line] = await Promise.race([once(child.stdout, 'data'), failed]);
    failed.catch(() => undefined);
    return { endpoint: `http://127.0.0.1:${Number(line)}`, accessKeyId, secretAccessKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
