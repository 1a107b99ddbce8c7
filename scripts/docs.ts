import { describeApi } from '../src/adapters/http/openapi/served-api.js';
import { limits } from '../src/adapters/http/routing/limits.js';
import { Exposition } from '../src/adapters/metrics/exposition.js';
import { Meters } from '../src/adapters/metrics/meters.js';
import {
  type Action,
  actions,
  evaluationMoves,
  lifecycle,
  may,
  type Origin,
  policy,
  precedence,
  type Requirement,
  runLifecycle,
  type Standing,
  stages,
  statusTraits,
  taskResultMoves,
  taskStageMoves,
  type VariableSource,
  variableLimits,
} from '../src/domain/index.js';
import type { LifecycleRow } from '../src/domain/shared/lifecycle-engine.js';
import type { RunTransition } from '../src/domain/supporting/runs/run-lifecycle.js';
import { type Kind, organizations, stepsInWords } from '../src/infrastructure/cli/import/kinds.js';
import { reasons } from '../src/infrastructure/cli/import/reasons.js';
import { poolUseInWords } from '../src/infrastructure/cli/import/settings.js';
import { settingRows } from '../src/infrastructure/config.js';
import { packageVersion } from '../src/infrastructure/package-version.js';
import { type ActorGroup, actorGroups, subjectsOf } from './actor-kinds.js';
import { table } from './table.js';

export const page = (...blocks: readonly string[]): string => `${blocks.join('\n\n')}\n`;

export const code = (text: string): string => `\`${text}\``;

const yes = '✓';
const no = '·';
export const mark = (claim: boolean): string => (claim ? yes : no);
const listed = (items: readonly string[]): string => (items.length === 0 ? no : items.join(', '));

const originInWords: Readonly<Record<Origin, string>> = {
  api: 'created through API or CLI',
  'version-control': 'created from version control',
};

const effectsOfEnd =
  '`close-task-stages`, `discard-files`, `discard-plan-file`, `archive-version`, `release-workspace`';

/** `docs/lifecycle.md`: the transition tables of configuration versions, runs, policy checks and run tasks. */
export const lifecyclePage = (): string =>
  page(
    '# Status lifecycles',
    [
      'Each row below is one status transition. Conditions are checked in order (*its status*: one in *From*), and the first one that',
      'does not hold determines the error. `npm run docs` generates this page from the tables that the service uses; change them in',
      '`src/domain/configuration-versions/lifecycle.ts`, `src/domain/supporting/runs/run-lifecycle.ts` and',
      '`src/domain/policy-outcomes/task-stage.ts` and `task-result.ts`.',
    ].join('\n'),
    '## Configuration versions',
    table(
      ['Trigger', 'From', 'Conditions, in order', 'To', 'Timestamp', 'Effects', 'Refused as'],
      lifecycle.map((row) => [
        code(row.trigger),
        listed(row.from.map(code)),
        row.guards.join('; ').replace('in one of these states', 'its status'),
        code(row.to),
        code(row.stamp),
        listed(row.effects.map(code)),
        code(row.refusedAs),
      ]),
    ),
    '### What each status allows',
    table(
      ['Status', 'Use in runs', 'Download', 'Read'],
      Object.entries(statusTraits).map(([status, traits]) => [
        code(status),
        listed(traits.usableInRuns.map((origin) => originInWords[origin])),
        mark(traits.downloadable),
        mark(traits.readable),
      ]),
    ),
    '## Runs',
    [
      'An automatic transition happens as soon as its conditions hold; if several apply, the first one. The others are triggered by',
      `a caller, a report of an agent or the worker. *end* is ${effectsOfEnd}.`,
    ].join('\n'),
    table(
      ['Trigger', 'Automatic', 'From', 'Conditions, in order', 'To', 'Effects'],
      (runLifecycle as readonly RunTransition[]).map((row) => [
        code(row.trigger),
        mark(row.automatic ?? false),
        listed(row.from.map(code)),
        listed(row.guards),
        code(row.to),
        listed(row.effects.map(code)).replace(effectsOfEnd, '*end*'),
      ]),
    ),
    '### Stages',
    table(
      ['Stage', 'Statuses'],
      Object.entries(stages).map(([stage, statuses]) => [stage, listed(statuses.map(code))]),
    ),
    '## Task stages, policy evaluations and results of run tasks',
    'A trigger leaves a status unchanged if no transition starts from it.',
    table(['Trigger', 'Task stage from', 'To'], movesOf(taskStageMoves)),
    table(['Trigger', 'Policy evaluation from', 'To'], movesOf(evaluationMoves)),
    table(['Trigger', 'Task result from', 'To'], movesOf(taskResultMoves)),
  );

const movesOf = (rows: readonly LifecycleRow<string>[]) =>
  rows.map(({ trigger, from, to }) => [code(trigger), listed(from.map(code)), code(to)]);

const inWords = (requirement: Requirement): string =>
  requirement.map((alternative) => alternative.join(' + ')).join('; or ');

interface Question {
  readonly action: Action;
  readonly about: string;
  readonly askedBy: (standing: Standing) => boolean;
}

/** Actions whose answer does not depend on which one of its kind they are about. */
const plainQuestions: readonly Question[] = actions
  .filter((action) => subjectsOf(action).length === 0)
  .map((action) => ({ action, about: '', askedBy: (standing) => may(standing, action) }));

const questionsAboutSubjects: readonly Question[] = actions.flatMap((action) =>
  subjectsOf(action).map((subject) => ({
    action,
    about: subject.name,
    askedBy: (standing) => may(subject.of(standing), action),
  })),
);

/** As the heading of its column allows. */
const shortly = (name: string): string =>
  name
    .replaceAll(',', '')
    .replace(/^project: /, '')
    .replace('token of a team', 'team token');

/** The callers of a group that have a permission, or those that lack it where they are fewer. */
function holdersIn({ actors }: ActorGroup, { askedBy }: Question): string {
  const names = (held: boolean) =>
    actors.filter(({ standing }) => askedBy(standing) === held).map(({ name }) => shortly(name));
  const [have, lack] = [names(true), names(false)];
  if (lack.length === 0) return 'all';
  const holders = have.length > lack.length ? `all but ${listed(lack)}` : listed(have);
  return holders.replace('owner, owners team token', 'owners');
}

const answersTo = (question: Question): string => actorGroups.map((group) => holdersIn(group, question)).join(' | ');

/** Questions with the same answers for every caller, together. */
const alike = (questions: readonly Question[]) => [...Map.groupBy(questions, answersTo)];

const allOf = (questions: readonly Question[]): string => listed(questions.map(({ action }) => code(action)));

/** Actions with the same answers for every subject share their rows. */
function rowsAboutSubjects(): readonly (readonly string[])[] {
  const byAction = [...Map.groupBy(questionsAboutSubjects, ({ action }) => action).values()];
  const tables = Map.groupBy(byAction, (asked) => asked.map((one) => `${one.about}: ${answersTo(one)}`).join());
  return [...tables.values()].flatMap((same) =>
    alike(same[0] ?? []).map(([answers, asked]) => [
      allOf(same.flatMap(([first]) => first ?? [])),
      asked
        .map(({ about }) => about)
        .join('; ')
        .replace('its own team; its own team, whose token members cannot manage', 'its own team'),
      answers,
    ]),
  );
}

/** `docs/permissions.md`: what each action needs, and which kinds of caller have it. */
export const permissionsPage = (): string =>
  page(
    '# Permissions',
    [
      'A caller without permission for an action gets the same 404 response as for a missing resource. Permissions are additive: over all teams of a',
      'caller, and over organization-level and workspace-level permissions, the highest applies. `npm run docs` prints this page',
      'from `src/domain/authorization/policy.ts`; change the table there.',
    ].join('\n'),
    [
      'A request without a token, or with one that is unknown, has expired, was revoked or belongs to a suspended or deleted',
      'user, is refused with 401 first: such a caller is not listed below.',
    ].join('\n'),
    '## Permissions per action',
    [
      'Requirements joined by `+` must all hold; any one of the alternatives is sufficient. An owner has every organization-level',
      'permission and is therefore an admin of every workspace.',
    ].join('\n'),
    table(
      ['Actions', 'Need'],
      [...Map.groupBy(actions, (action) => inWords(policy[action]))].map(([needs, alike]) => [
        listed(alike.map(code)),
        needs,
      ]),
    ),
    '## Effects of delegated permissions',
    [
      'Holders of `manage-teams` or `manage-membership`, and an organization token, can also gain what teams in their reach hold on',
      'workspaces, which the tables below do not show: [how far, and what owners should do](../SECURITY.md#what-delegated-rights-give).',
    ].join('\n'),
    '## Permissions per caller',
    [
      'Each row lists the callers that may perform its actions; `·` is none, and *owners* are an owner and the token of the owners',
      'team. A member has the named permission through one team, and no other permission.',
    ].join('\n'),
    table(
      ['Actions', ...actorGroups.map(({ name }) => name)],
      alike(plainQuestions).map(([answers, asked]) => [allOf(asked), answers]),
    ),
    '## Permissions that depend on the team or user',
    'The caller is not a member of the team unless the row says so.',
    table(['Actions', 'About', ...actorGroups.map(({ name }) => name)], rowsAboutSubjects()),
  );

/** `docs/limits.md`: what a request may be made of. */
export const limitsPage = (): string =>
  page(
    '# Request limits',
    [
      'These limits apply to every request. Attributes have lower limits of their own, which are named in the error.',
      '`MAX_ARCHIVE_BYTES`, `MAX_UNPACKED_BYTES` and `MAX_ARCHIVE_ENTRIES` limit uploads, and the storage of an organization is limited by',
      '`MAX_ORGANIZATION_BYTES`. `RATE_LIMIT_PER_SECOND` sets the rate limit. Timeouts are listed in [operations](operations.md#how-long-anything-may-take).',
      'Every error response is a JSON:API error document. `npm run docs` generates this page from',
      '`src/adapters/http/routing/limits.ts`; change the table there.',
    ].join('\n'),
    table(
      ['Limit', 'Applies to', 'Response beyond it'],
      Object.values(limits).map(({ max, of, answer }) => [max.toLocaleString('en-US'), of, answer]),
    ),
  );

/** `docs/configuration.md`: every environment variable of the service. */
export const configurationPage = (): string =>
  page(
    '# Configuration',
    [
      'The service and [the command line](command-line.md) read these environment variables. An empty variable counts as unset.',
      'The service validates all of them at startup and lists every invalid one in a single error. The AWS SDK and OpenTelemetry',
      'read their own: [object store](operations.md#archives-in-an-object-store), [traces](operations.md#metrics-and-traces).',
      '[The agent](agents.md#the-agent-that-comes-with-it) has a table of its own.',
    ].join('\n'),
    table(
      ['Variable', 'Default', 'Meaning'],
      settingRows().map(([name, value, about]) => [code(name), value, about]),
    ),
    'This page is printed by `npm run docs` from `src/infrastructure/config.ts`.',
  );

const sourceRow = (source: VariableSource, index: number): readonly string[] => {
  const place = String(index + 1);
  if (source === 'run') return [place, 'variables of the run', '', '', 'terraform'];
  if (source === 'workspace') return [place, 'variables of the workspace', '', '', 'terraform, env'];
  const set = source.priority ? 'priority variable set' : 'variable set';
  return [place, set, source.owner, source.scope, 'terraform, env'];
};

/** `docs/variables.md`: which variables a run receives. */
export const variablesPage = (): string =>
  page(
    '# Variables of a run',
    [
      'A run receives variables from several sources. Among variables with the same key and category, it receives the one whose',
      'source comes first in this table. Among variable sets of one row, the first by name wins, compared by code points.',
      '`GET /workspaces/:id/all-vars` lists the variables that a run without variables of its own receives, with null for',
      'sensitive values. The project is that of the workspace.',
    ].join('\n'),
    table(['', 'Source', 'Owner', 'Global, or attached to', 'Categories'], precedence.map(sourceRow)),
    [
      'Values in `.tfvars` files of the configuration come after all of these.',
      'Several global sets may have a variable of the same key.',
      `The variable sets of an organization together can have ${variableLimits.ofSets.count} variables and ${variableLimits.ofSets.bytes / 1024 / 1024} MiB of values.`,
      'This page is printed by `npm run docs` from `src/domain/supporting/variables/precedence.ts`.',
    ].join(' '),
  );

/** `docs/import.md`: the given page with its table, of the kinds that are imported and of what does not come. */
export function importPage(kept: string): string {
  const namesOf = ({ name, below = [], steps = [], peers, poolUse }: Kind): readonly string[] => [
    name,
    ...(poolUse === undefined ? [] : [poolUseInWords]),
    ...steps.map((step) => stepsInWords[step]),
    ...(peers === undefined ? [] : [peers.name]),
    ...below.flatMap(namesOf),
  ];
  const rows = [
    ['Comes', [...new Set(namesOf(organizations))].join(', ')],
    [
      'Does not come',
      Object.values(reasons)
        .map(({ what }) => what)
        .join(', '),
    ],
  ];
  return kept.replace(/(?:^\|.*\n)+/m, () => `${table(['', ''], rows).trimEnd()}\n`);
}

/** `docs/openapi.json`: every endpoint of both dialects, with what it takes and answers. */
export const openApiPage = async (): Promise<string> =>
  `${JSON.stringify(await describeApi('self-hosted', packageVersion()), undefined, 1)}\n`;

/** `docs/metrics.md`: the metrics exposed to Prometheus. */
export function metricsPage(): string {
  const { metrics } = new Exposition({
    streams: () => 0,
    memory: () => 0,
    readOnly: async () => false,
    meters: new Meters(),
    takeSnapshot: () => Promise.reject(new Error('there is no database')),
    version: packageVersion(),
    maxBytes: 0,
    database: 'sqlite',
    ofProcess: false,
  });
  return page(
    '# Metrics',
    [
      '`GET /metrics` returns these metrics, in addition to those of the client library (`process_*`, `nodejs_*`). Access',
      'and recommended alerts are described in [operations](operations.md#metrics-and-traces). This page is generated by',
      '`npm run docs` from `src/adapters/metrics`.',
    ].join('\n'),
    table(
      ['Metric', 'Type', 'Labels', ''],
      metrics.map(({ name, type, labelNames, help }) => [code(name), type, listed(labelNames.map(code)), help]),
    ),
  );
}
