// `npm run knex -- migrate:make NAME` adds the line of a new one. Imported by name, so that bundlers find them.
export * as '20261128080000_schema.ts' from './migrations/20261128080000_schema.js';
export * as '20261128165301_fills.ts' from './migrations/20261128165301_fills.js';
export * as '20261128172500_current_runs.ts' from './migrations/20261128172500_current_runs.js';
export * as '20261128180000_deleted_organizations.ts' from './migrations/20261128180000_deleted_organizations.js';
export * as '20261129060000_audit_names.ts' from './migrations/20261129060000_audit_names.js';
export * as '20261129060100_audit_actors.ts' from './migrations/20261129060100_audit_actors.js';
export * as '20261129060200_audit_workspaces.ts' from './migrations/20261129060200_audit_workspaces.js';
export * as '20261129060300_audit_refusals.ts' from './migrations/20261129060300_audit_refusals.js';
export * as '20261129060400_audit_decisions.ts' from './migrations/20261129060400_audit_decisions.js';
export * as '20261129071417_sign_in_links.ts' from './migrations/20261129071417_sign_in_links.js';
export * as '20261129071423_session_tokens.ts' from './migrations/20261129071423_session_tokens.js';
export * as '20261129071429_sessions_of_tokens.ts' from './migrations/20261129071429_sessions_of_tokens.js';
export * as '20261129071725_notification_configurations.ts' from './migrations/20261129071725_notification_configurations.js';
export * as '20261129075531_force_delete_by_owners.ts' from './migrations/20261129075531_force_delete_by_owners.js';
