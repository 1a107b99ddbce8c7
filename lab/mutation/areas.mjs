import { readdirSync } from 'node:fs';
import { codeMutants } from './operators.mjs';
import { errorMutants, lifecycleMutants, policyMutants, runMutants } from './tables.mjs';

/** The files of tests are asked one after the other, until one notices the change: quick ones come first. */
const code = (files, ...tests) => files.map((file) => ({ file, mutants: codeMutants(file), tests: tests.flat() }));
const under = (directory, names) => names.map((name) => `${directory}/${name}.ts`);
const within = (directory) =>
  readdirSync(new URL(`../../${directory}`, import.meta.url))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${directory}/${name}`);
const named = (pattern) => (file) => pattern.test(file);
const suites = (kind, ...names) => names.map((name) => `tests/${kind}/${name}.test.ts`);

const signInSuites = [
  suites('application', 'sign-in', 'group-memberships', 'authentication'),
  suites('contracts', 'openid-provider'),
  suites('http', 'sign-in', 'linking', 'own-sessions', 'hostile-provider', 'terraform-login'),
  suites('http', 'given-groups', 'teams', 'users', 'first-sign-ins', 'organization-switches'),
  suites('http', 'recorded-changes'),
  suites('contracts', 'persistence-sign-in.contract'),
  suites('http', 'rights'),
];

export const areas = {
  policy: [
    {
      file: 'src/domain/authorization/policy.ts',
      mutants: policyMutants,
      tests: ['tests/domain/policy.test.ts'],
    },
  ],
  lifecycle: [
    {
      file: 'src/domain/configuration-versions/lifecycle.ts',
      mutants: lifecycleMutants,
      tests: ['tests/domain/lifecycle.test.ts', 'tests/domain/lifecycle.property.test.ts'],
    },
    ...code(['src/domain/shared/lifecycle-engine.ts'], ['tests/domain/lifecycle-engine.test.ts']),
  ],
  errors: [
    {
      file: 'src/adapters/http/routing/error-table.ts',
      mutants: errorMutants,
      tests: ['tests/http/error-table.test.ts'],
    },
  ],
  authorization: code(
    [
      ...under('src/domain/authorization', [
        'claims',
        'policy',
        'covered-grant',
        'visibility',
        'actor',
        'effective-access',
      ]),
      'src/domain/team-access/workspace-permissions.ts',
    ],
    [
      'policy',
      'authorization',
      'project-access',
      'effective-permissions',
      'effective-access',
      'workspace-permissions',
      'visibility.property',
    ].map((name) => `tests/domain/${name}.test.ts`),
    ['tests/application/teams.test.ts', 'tests/application/users.test.ts', 'tests/application/runs.test.ts'],
    suites('http', 'deciding-teams', 'effective-access', 'audit-tokens', 'project-access', 'rights'),
  ),
  runs: [
    {
      file: 'src/domain/supporting/runs/run-lifecycle.ts',
      mutants: runMutants,
      tests: ['tests/domain/runs.test.ts', 'tests/domain/runs.property.test.ts'],
    },
    ...code(
      under('src/domain/supporting/runs', ['run', 'run-guards']),
      ['tests/domain/runs.test.ts', 'tests/domain/runs.property.test.ts'],
      ['tests/http/runs.test.ts'],
    ),
    ...code(
      under('src/application/supporting/runs', ['run-progress', 'create-run', 'change-run', 'read-run-log']),
      ['runs', 'run-tasks', 'agents', 'version-control', 'quota', 'notifications'].map(
        (name) => `tests/application/${name}.test.ts`,
      ),
      ['runs', 'forced-runs', 'run-tasks', 'workspaces', 'quota', 'agent-files', 'recorded-changes'].map(
        (name) => `tests/http/${name}.test.ts`,
      ),
      ['tests/contracts/side-by-side.test.ts'],
    ),
  ],
  leases: code(
    under('src/application/supporting/agents', [
      'claim-run',
      'lease-holder',
      'renew-lease',
      'reclaim-lost-runs',
      'append-run-log',
      'report-phase',
      'report-policy-evaluation',
      'store-run-artifact',
      'announce-state',
      'upload-state',
      'read-plan-file',
      'read-run-files',
      'read-run-state',
    ]),
    suites('application', 'agents', 'run-tasks'),
    suites('http', 'agent-files', 'agent-api', 'variables', 'statements', 'writing-states'),
    suites('contracts', 'side-by-side'),
  ),
  urls: code(
    [
      'src/adapters/files/signed-capability-urls.ts',
      'src/application/authorization/creator-standing.ts',
      'src/application/configuration-versions/upload-configuration-bundle.ts',
      'src/application/configuration-versions/locate-bundle.ts',
      ...under('src/application/files', ['open-bundle', 'read-bundle', 'uploads']),
    ],
    ['uploads', 'configuration-versions', 'open-bundle'].map((name) => `tests/application/${name}.test.ts`),
    ['tests/http/bundles.test.ts'],
    ['state-versions', 'writing-states', 'audit-events', 'agent-files', 'runs'].map(
      (name) => `tests/http/${name}.test.ts`,
    ),
    ['tests/contracts/side-by-side.test.ts'],
  ),
  'sign-in': code(
    [
      ...within('src/domain/supporting/sign-in'),
      ...within('src/application/supporting/sign-in').filter((file) => !named(/group/)(file)),
      ...within('src/adapters/identity'),
      ...within('src/adapters/http/supporting/sign-in'),
    ],
    ...signInSuites,
  ),
  groups: code(
    [
      ...within('src/application/supporting/sign-in').filter(named(/group/)),
      ...within('src/application/supporting/organizations').filter(named(/group/)),
      ...within('src/application/supporting/teams').filter(named(/(create|update)-team|group/)),
    ],
    ...signInSuites,
    suites('application', 'teams'),
    suites('contracts', 'side-by-side'),
  ),
  'run-tasks': code(
    [
      'src/domain/policy-outcomes/task-stage.ts',
      ...under('src/domain/supporting/run-tasks', ['run-task', 'task-result']),
      ...within('src/application/supporting/run-tasks'),
      ...within('src/adapters/http/supporting/run-tasks'),
    ],
    suites('domain', 'task-results', 'policy-outcomes'),
    suites('application', 'run-tasks', 'never-ended-attempts'),
    suites('http', 'run-tasks', 'policy-outcomes', 'recorded-changes'),
    suites('contracts', 'side-by-side'),
  ),
  states: code(
    [
      ...under('src/domain/supporting/state-versions', ['state-version', 'state-contents']),
      ...under('src/application/supporting/state-versions', [
        'create-state-version',
        'roll-back-state',
        'state-urls',
        'state-writing',
        'upload-state-version',
      ]),
      ...under('src/adapters/http/supporting/state-versions', ['state-version-requests']),
    ],
    suites('http', 'writing-states', 'state-versions', 'agent-files', 'recorded-changes'),
    suites('http', 'rights'),
    suites('contracts', 'side-by-side'),
  ),
  webhooks: code(
    [
      ...under('src/application/supporting/version-control', ['receive-webhook', 'webhook-keys']),
      ...under('src/adapters/http/supporting/version-control', [
        'webhook-routes',
        'webhook-events',
        'webhook-payloads',
        'webhook-signatures',
      ]),
    ],
    suites('http', 'webhook-payloads'),
    suites('application', 'version-control'),
    suites('http', 'webhooks', 'policy-set-repositories'),
    suites('application', 'policy-set-repositories'),
    suites('contracts', 'side-by-side'),
  ),
  bodies: code(
    [
      ...within('src/adapters/http/server').filter(named(/memory|receive|arrivals|turns|send|slices/)),
      ...within('src/adapters/http/routing').filter(named(/read-|json-reader|document-kind/)),
    ],
    suites('http', 'memory-budget', 'turns', 'json-reader', 'bodies', 'protocol', 'hardening'),
    suites('http', 'sign-in', 'metrics', 'webhooks'),
  ),
  lanes: code(
    [
      ...within('src/application/background').filter(named(/effect|loops/)),
      ...within('src/adapters/persistence/knex/repositories/background').filter(named(/effect/)),
    ],
    suites('application', 'effects', 'fair-lanes', 'never-ended-attempts', 'effects.property'),
    suites('application', 'version-control', 'run-tasks', 'quota', 'configuration-versions', 'backing-data'),
    suites('contracts', 'persistence-effects.contract', 'side-by-side', 'news'),
    // What the effects do, and what is recorded of it.
    suites('http', 'audit-events', 'bundles', 'run-queue', 'runs', 'webhooks', 'recorded-changes'),
  ),
};
