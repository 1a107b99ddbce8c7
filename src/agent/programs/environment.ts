import type { WorkspaceVariable } from '../service/job.js';
import type { Settings } from '../settings.js';

type Environment = Readonly<Record<string, string>>;

const passedOn = [
  'PATH',
  'LANG',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
];

/** These would make terraform write the state to another place. */
const notForWorkspaces = new Set(['TF_WORKSPACE', 'TF_DATA_DIR']);

function picked(names: readonly string[], own: Readonly<Record<string, string | undefined>>): Environment {
  const found = names.map((name) => [name, own[name]] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(found) as Environment;
}

/**
 * The environment of every program: network settings and a home of the run's. The rest of the agent's environment is
 * withheld.
 */
export const bareEnvironment = (own: Readonly<Record<string, string | undefined>>, home: string, tmp: string) => ({
  ...picked(passedOn, own),
  HOME: home,
  TMPDIR: tmp,
});

/** The additional environment of terraform: the operator's variables and the workspace's. */
export function terraformEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  bare: Environment,
  settings: Settings,
  variables: readonly WorkspaceVariable[],
  configFile: string | undefined,
): Environment {
  const { AGENT_PASS_ENV: names } = settings;
  const ofWorkspace = variables
    // Such entries cannot be passed to a program.
    .filter(({ category, key, value }) => category === 'env' && /^[^=\0]+$/.test(key) && !value.includes('\0'))
    .filter(({ key }) => !notForWorkspaces.has(key))
    .map(({ key, value }) => [key, value] as const);
  return {
    ...picked(names, own),
    ...Object.fromEntries(ofWorkspace),
    ...bare,
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    CHECKPOINT_DISABLE: '1',
    ...(configFile && { TF_CLI_CONFIG_FILE: configFile }),
  };
}
