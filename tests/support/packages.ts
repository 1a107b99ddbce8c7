import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * In milliseconds, of an attempt; the slowest one, a pack, takes 40 s. npm may wait without end for an answer of the
 * registry that was lost, without a connection, and is then started again.
 */
const attempt = 180_000;

/** npm in a folder, with nothing of the npm that runs the tests: its settings speak of this project. */
export const npm = async (folder: string, words: readonly string[]): Promise<string> => {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  const env = {
    ...Object.fromEntries(own),
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    // A request that is not answered is sent again long before the attempt is over.
    npm_config_fetch_timeout: '20000',
    npm_config_fetch_retries: '5',
  };
  const options = { cwd: folder, env, maxBuffer: 1 << 26, timeout: attempt };
  for (let further = 2; ; further -= 1) {
    try {
      return (await promisify(execFile)('npm', words, options)).stdout;
    } catch (error) {
      if (further === 0 || !(error as { readonly killed?: boolean }).killed) throw error;
    }
  }
};

/** Packs the tree into `directory`. Returns the path of the tarball. */
export async function packageOf(tree: string, directory: string, words: readonly string[] = []): Promise<string> {
  const destination = join(directory, 'packed');
  await mkdir(destination, { recursive: true });
  const [packed] = JSON.parse(await npm(tree, ['pack', '--json', '--pack-destination', destination, ...words]));
  return join(destination, packed.filename);
}
