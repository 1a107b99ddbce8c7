/** The line that starts the agent which comes with the service; without a token, its place is left open. */
export const agentCommand = (token = '…'): string =>
  `GATEHOUSE_URL=${location.origin} AGENT_TOKEN=${token} gatehouse-agent`;
