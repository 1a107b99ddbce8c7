// `npm run knex -- migrate:make NAME` adds the line of a new one. Imported by name, so that bundlers find them.
export * as '20261128080000_schema.ts' from './migrations/20261128080000_schema.js';
export * as '20261128165301_fills.ts' from './migrations/20261128165301_fills.js';
export * as '20261128172500_current_runs.ts' from './migrations/20261128172500_current_runs.js';
export * as '20261128180000_deleted_organizations.ts' from './migrations/20261128180000_deleted_organizations.js';
export * as '20261129071000_workspaces_deleted.ts' from './migrations/20261129071000_workspaces_deleted.js';
export * as '20261129071100_workspaces_by_age.ts' from './migrations/20261129071100_workspaces_by_age.js';
export * as '20261129071200_current_runs_of_all.ts' from './migrations/20261129071200_current_runs_of_all.js';
export * as '20261129071300_current_runs_by_time.ts' from './migrations/20261129071300_current_runs_by_time.js';
export * as '20261129071400_latest_changes.ts' from './migrations/20261129071400_latest_changes.js';
export * as '20261129071500_workspaces_by_change.ts' from './migrations/20261129071500_workspaces_by_change.js';
export * as '20261129071600_members_by_age.ts' from './migrations/20261129071600_members_by_age.js';
export * as '20261129071700_workspaces_counted.ts' from './migrations/20261129071700_workspaces_counted.js';
export * as '20261129071800_runs_counted.ts' from './migrations/20261129071800_runs_counted.js';
