/** The published surface of the domain: pure rules and plain data, with no dependency of any kind. */
export * from './authorization/actor.js';
export * from './authorization/organization-permissions.js';
export * from './authorization/policy.js';
export * from './authorization/workspace-permissions.js';
export * from './configuration-versions/configuration-version.js';
export * from './configuration-versions/ingress-attributes.js';
export * from './configuration-versions/lifecycle.js';
export * from './organizations/organization.js';
export * from './runs/run-status.js';
export * from './shared/api-token.js';
export * from './shared/domain-error.js';
export * from './shared/id.js';
export * from './shared/name.js';
export * from './team-access/access-level.js';
export * from './teams/team.js';
export * from './users/user.js';
export * from './workspaces/workspace.js';
