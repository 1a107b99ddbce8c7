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
