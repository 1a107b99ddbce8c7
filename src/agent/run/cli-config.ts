import { readFile, writeFile } from 'node:fs/promises';
import type { Execution } from './execution.js';
import { RunFailure } from './execution.js';

/** terraform asks for a token before it sends a request. The service looks at the URL instead. */
const anyToken = 'none';

/**
 * Writes the CLI configuration of a run: that of the operator, and where terraform finds the states that other workspaces
 * share with this one. It names the service's public host as configurations do, and the address that the agent uses.
 * Undefined without either.
 */
export async function writeCliConfig(x: Execution): Promise<string | undefined> {
  const { AGENT_TF_CLI_CONFIG_FILE: own, GATEHOUSE_URL: service } = x.settings;
  const given = x.job['shared-states-url'];
  if (given === null) return own;
  const { host, pathname } = new URL(given);
  const text = own === undefined ? '' : await readFile(own, 'utf8').catch(unreadable);
  // terraform accepts one block for a host, and the operator's is there for a reason.
  if (text.includes(`"${host}"`)) return own;
  const services = Object.fromEntries(
    ['tfe.v2', 'tfe.v2.1', 'tfe.v2.2'].map((name) => [name, `${service}${pathname}/`]),
  );
  const file = x.directory.at('variables', 'terraform.tfrc');
  await writeFile(file, withHost(text, host, services), { mode: 0o600 });
  await x.directory.give(file);
  return file;
}

const unreadable = (error: Error): never => {
  throw new RunFailure(`The agent cannot read its AGENT_TF_CLI_CONFIG_FILE: ${error.message}`);
};

/** The CLI configuration with the services of a host, in the language in which it is written. */
export function withHost(text: string, host: string, services: Readonly<Record<string, string>>): string {
  if (/^\s*\{/.test(text)) {
    const own = JSON.parse(text);
    return JSON.stringify({
      ...own,
      host: { ...own.host, [host]: { services } },
      credentials: { ...own.credentials, [host]: { token: anyToken } },
    });
  }
  const entries = Object.entries(services).map(
    ([name, url]) => `    ${JSON.stringify(name)} = ${JSON.stringify(url)}\n`,
  );
  const blocks = [
    `host ${JSON.stringify(host)} {\n  services = {\n${entries.join('')}  }\n}\n`,
    `credentials ${JSON.stringify(host)} {\n  token = ${JSON.stringify(anyToken)}\n}\n`,
  ];
  return `${text}\n${blocks.join('')}`;
}
