/**
 * The artifacts of a plan that an agent stores: the plan file, which only the agent reads back, and the plan as JSON,
 * complete and without sensitive values.
 */
export const artifactNames = ['plan-file', 'plan-json', 'plan-json-redacted'] as const;

export type ArtifactName = (typeof artifactNames)[number];
