/**
 * What an agent leaves of a plan: the file that is applied, which nobody but the agent reads, and what the plan says, as
 * JSON, whole and without sensitive values.
 */
export const artifactNames = ['plan-file', 'plan-json', 'plan-json-redacted'] as const;

export type ArtifactName = (typeof artifactNames)[number];
