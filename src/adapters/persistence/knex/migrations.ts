// `npm run knex -- migrate:make NAME` adds the line of a new one. Imported by name, so that bundlers find them.
export * as '20261128080000_schema.ts' from './migrations/20261128080000_schema.js';
