import { createHash } from 'node:crypto';
import { type ServiceSteps, until } from './service-steps.js';

/** A state with an instance whose password is sensitive, and with an output of each kind. */
export const stateOf = (serial: number, cidr: string, instances: readonly string[]) => ({
  version: 4,
  terraform_version: '1.11.0',
  serial,
  lineage: 'a0c5e6d2-0000-4000-8000-000000000000',
  outputs: {
    cidr: { value: cidr, type: 'string' },
    password: { value: `secret-${serial}`, type: 'string', sensitive: true },
  },
  resources: [
    {
      mode: 'managed',
      type: 'aws_vpc',
      name: 'main',
      provider: 'provider["registry.terraform.io/hashicorp/aws"]',
      instances: instances.map((key) => ({
        index_key: key,
        schema_version: 0,
        attributes: { cidr_block: cidr, password: `secret-${serial}`, tags: { Name: key } },
        sensitive_attributes: [[{ type: 'get_attr', value: 'password' }]],
      })),
    },
  ],
});

/** Writes a state of the workspace, whose lock the administrator holds. Returns its id. */
export async function writeState(
  steps: ServiceSteps,
  workspaceId: string,
  state: ReturnType<typeof stateOf>,
): Promise<string> {
  const bytes = Buffer.from(JSON.stringify(state));
  const { id } = await steps.ask('POST', `/api/v2/workspaces/${workspaceId}/state-versions`, {
    data: {
      type: 'state-versions',
      attributes: {
        serial: state.serial,
        lineage: state.lineage,
        md5: createHash('md5').update(bytes).digest('hex'),
        state: bytes.toString('base64'),
      },
    },
  });
  return id;
}

/** Two states of the workspace, whose outputs are read. */
export async function writeStates(steps: ServiceSteps, workspaceId: string): Promise<void> {
  await steps.ask('POST', `/workspaces/${workspaceId}/actions/lock`);
  const states = [stateOf(1, '10.0.0.0/16', ['a', 'b']), stateOf(2, '10.1.0.0/16', ['a', 'c'])];
  for (const state of states) {
    const id = await writeState(steps, workspaceId, state);
    await until(`the outputs of ${id} are read`, async () => {
      const shown = await steps.ask('GET', `/api/v2/state-versions/${id}`);
      return shown.attributes['resources-processed'];
    });
  }
  await steps.ask('POST', `/workspaces/${workspaceId}/actions/unlock`);
}
