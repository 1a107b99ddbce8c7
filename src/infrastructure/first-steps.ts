/** How the person at the terminal gets the token of the first site administrator, or which token to use instead. */
export type FirstToken =
  | { readonly kind: 'shown'; readonly secret: string }
  | { readonly kind: 'in-file'; readonly path: string }
  | { readonly kind: 'given' }
  | { readonly kind: 'known' };

interface Start {
  /** Without a slash at the end. */
  readonly publicUrl: string;
  /** With a link that signs in, or without. */
  readonly consoleUrl: string;
  readonly token: FirstToken;
  /** Whether people sign in at a provider, and not with a token. */
  readonly signsIn: boolean;
  /** Runs the command line: `gatehouse`, and `npm run --silent gatehouse --` in a checkout. */
  readonly commandLine: string;
  /** Runs the agent that comes with Gatehouse. */
  readonly agent: string;
}

/** Says which token it is, and sets `TOKEN` for the requests below. */
const tokenHint = (token: FirstToken): string => {
  if (token.kind === 'shown')
    return `The first site administrator's token is shown only once:\n\n  TOKEN=${token.secret}`;
  if (token.kind === 'in-file')
    return `The first site administrator's token is in ${token.path}:\n\n  TOKEN=$(cat ${token.path})`;
  if (token.kind === 'given') return "The site administrator's token is the one of ADMIN_TOKEN; set TOKEN to it.";
  return "Set TOKEN to a user's API token.";
};

function consoleLine(url: string, token: FirstToken, signsIn: boolean): string {
  if (url.includes('#')) return `Open the console and sign in with this link, once, within ten minutes:\n\n  ${url}`;
  const issued = token.kind === 'known' ? 'an API token' : 'the token below';
  return `Open the console at ${url}, and sign in with ${signsIn ? 'your organization' : issued}.`;
}

/** The text that is printed once the service responds: the console and how to sign in, an agent, three first requests. */
export function firstSteps({ publicUrl, consoleUrl, token, signsIn, commandLine, agent }: Start): string {
  const api = `${publicUrl}/api/v2`;
  const curl = 'curl -sS -H "Authorization: Bearer $TOKEN"';
  const json = `-H 'Content-Type: application/vnd.api+json'`;
  const body = (type: string, attributes: object) => `-d '${JSON.stringify({ data: { type, attributes } })}'`;
  return [
    '',
    `Gatehouse serves at ${publicUrl}`,
    '',
    consoleLine(consoleUrl, token, signsIn),
    '',
    tokenHint(token),
    '',
    'Runs wait until an agent executes them. Start one in another terminal:',
    '',
    `  ${commandLine} agent-pool create agents`,
    `  ${commandLine} agent-pool issue-token agents     # prints AGENT_TOKEN`,
    `  GATEHOUSE_URL=${publicUrl} AGENT_TOKEN=… ${agent}`,
    '',
    'First requests:',
    '',
    `  ${curl} ${api}/account/details`,
    `  ${curl} ${json} ${body('organizations', { name: 'acme', email: 'you@example.com' })} ${api}/organizations`,
    `  ${curl} ${json} ${body('workspaces', { name: 'api' })} ${api}/organizations/acme/workspaces`,
    '',
  ].join('\n');
}
