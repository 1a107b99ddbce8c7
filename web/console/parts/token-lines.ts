/** The kind of programs that use a token. */
export type TokenUse = 'client' | 'organization' | 'audit' | 'agent';

export interface TokenLines {
  /** The program that uses the token. */
  readonly program: string;
  readonly text: string;
}

interface Service {
  /** With the port, if it has one. */
  readonly host: string;
  readonly origin: string;
}

/** The variable from which terraform reads the token of a host: periods and hyphens are encoded, ports cannot be. */
const variableOf = (host: string): string | undefined =>
  host.includes(':') ? undefined : `TF_TOKEN_${host.replaceAll('-', '__').replaceAll('.', '_')}`;

const curl = ({ origin }: Service, token: string, path: string): TokenLines => ({
  program: 'curl',
  text: `curl -H 'Authorization: Bearer ${token}' ${origin}/api/v2${path}`,
});

const provider = ({ host }: Service, token: string): TokenLines => ({
  program: 'the tfe provider',
  text: `export TFE_HOSTNAME=${host} TFE_TOKEN=${token}`,
});

const terraform = ({ host }: Service, token: string): readonly TokenLines[] => {
  const variable = variableOf(host);
  return [
    ...(variable === undefined
      ? []
      : [{ program: 'terraform and tofu, for one shell', text: `export ${variable}=${token}` }]),
    {
      program: 'terraform and tofu, in ~/.terraformrc or ~/.tofurc',
      text: `credentials "${host}" {\n  token = "${token}"\n}`,
    },
  ];
};

const linesOf: Readonly<Record<TokenUse, (service: Service, token: string) => readonly TokenLines[]>> = {
  client: (service, token) => [
    ...terraform(service, token),
    provider(service, token),
    curl(service, token, '/organizations'),
  ],
  organization: (service, token) => [provider(service, token), curl(service, token, '/organizations')],
  audit: (service, token) => [curl(service, token, '/organization/audit-trails')],
  agent: ({ origin }, token) => [{ program: 'the agent', text: agentCommand(origin, token) }],
};

/** The lines with which programs use a token of a service. */
export const tokenLines = (use: TokenUse, service: Service, token: string): readonly TokenLines[] =>
  linesOf[use](service, token);

/** The line that starts the agent which comes with the service; without a token, its place is left open. */
export const agentCommand = (origin: string, token = '…'): string =>
  `GATEHOUSE_URL=${origin} AGENT_TOKEN=${token} gatehouse-agent`;
