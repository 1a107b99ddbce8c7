import { z } from 'zod';
import type { DecidingTeam, RunCapacity, ShownPhase, ShownRun } from '../../../../application/index.js';
import {
  may,
  type Phase,
  phaseInstants,
  phaseStatuses,
  phaseStatusOf,
  Run,
  type RunState,
  type RunVariable,
  runStatuses,
  type TokenOwner,
} from '../../../../domain/index.js';
import {
  decisionOf,
  forceCancelAvailableAt,
  isForceCancelable,
  updatedAtOf,
} from '../../../../domain/supporting/runs/run.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import {
  count,
  dateTime,
  flag,
  maybeDateTime,
  maybeText,
  perDialect,
  stampsOf,
  text,
  timestamps,
  toOneSchema,
} from '../../routing/resource-schema.js';
import { ownerTypes, presentOwner } from '../../tokens/token-owner-resource.js';
import { eventIdsOf } from './run-event-ids.js';

/** A run's two parts have no rows of their own: their ids are the run's, with another prefix. */
const phaseId = (runId: string, phase: Phase): string => runId.replace(/^run-/, `${phase}-`);
/** Empty, which no run's id is, for an id without the phase's prefix. */
export const runIdOf = (id: string, phase: Phase): string =>
  id.startsWith(`${phase}-`) ? `run-${id.slice(phase.length + 1)}` : '';

const phaseTypes = { plan: 'plans', apply: 'applies' } as const;

const actorSchema = perDialect(({ runActors }) =>
  toOneSchema(
    runActors.map((kind) => ownerTypes[kind]),
    { nullable: true },
  ),
);

export const actor = ({ attribute }: ResourceBuilder, dialect: Dialect, by: TokenOwner | null) =>
  attribute(
    actorSchema(dialect),
    presentOwner(by !== null && dialect.runActors.includes(by.kind) ? by : null),
    'The user, team or organization. Null if it never happened, or if the actor was deleted or is of another kind.',
  );

const addresses = z.array(text).nullable();
const noTexts = z.array(text).max(0);
const runSource = z.enum(['tfe-api', 'tfe-configuration-version', 'tfe-run-trigger']);
const runStatus = z.enum(runStatuses);
const runTimestamps = timestamps(['plan-queueable-at', 'force-canceled-at', ...stampsOf(runStatuses)]);
const manual = z.literal('manual');
const eventIdentifiers = z.array(z.strictObject({ id: text, type: z.literal('run-events') }));
const commentIdentifiers = z.array(z.strictObject({ id: text, type: z.literal('comments') }));

const runVariable =
  ({ attribute }: ResourceBuilder) =>
  ({ key, value }: RunVariable) => ({
    key: attribute(text, key),
    value: attribute(text, value, 'A literal in the configuration language.'),
  });

const run =
  (words: ResourceBuilder) =>
  (dialect: Dialect) =>
  ({ run: state, standing, stageIds, comments, position }: ShownRun): Resource => {
    const { attribute, group, each, toOne, toOneAt, toMany, link } = words;
    const run = Run.restore(state);
    const mayApply = may(standing, 'runs/apply');
    const mayOverride = may(standing, 'policy-outcomes/override');
    const { options } = state;
    const ids = eventIdsOf(state, comments);
    const forced = decisionOf(state, 'force-cancel');
    const self = `${dialect.prefix}/runs/${state.id}`;
    return {
      id: state.id,
      type: 'runs',
      attributes: {
        actions: group(
          {
            'is-cancelable': attribute(flag, run.allows(run.cancelTrigger) && !state.cancelRequested),
            'is-confirmable': attribute(flag, run.allows('confirm')),
            'is-discardable': attribute(flag, run.allows('discard')),
            'is-force-cancelable': attribute(
              flag,
              isForceCancelable(state),
              'Whether the run can be canceled by force, from `force-cancel-available-at` on.',
            ),
          },
          "The actions that the status allows, regardless of the caller's permissions.",
        ),
        'allow-config-generation': attribute(flag, options.allowConfigGeneration),
        'allow-empty-apply': attribute(flag, options.allowEmptyApply),
        'auto-apply': attribute(flag, state.autoApply),
        'canceled-at': attribute(maybeDateTime, state.statusTimestamps['canceled-at'] ?? null),
        'created-at': attribute(dateTime, state.createdAt),
        'debugging-mode': attribute(flag, options.debuggingMode, 'Whether the program logs what it does.'),
        'error-message': attribute(maybeText, state.failure, 'Error message. Null unless the status is `errored`.'),
        'force-cancel-available-at': attribute(
          maybeDateTime,
          forceCancelAvailableAt(state),
          'When the agent that was asked to stop has had the time to. Null unless the run was canceled.',
        ),
        'has-changes': attribute(
          flag,
          state.hasChanges,
          'Whether the plan has changes. False until the plan is finished.',
        ),
        'is-destroy': attribute(flag, options.isDestroy),
        message: attribute(text, options.message),
        permissions: group(
          {
            'can-apply': attribute(flag, mayApply),
            'can-cancel': attribute(flag, mayApply),
            'can-comment': attribute(flag, may(standing, 'runs/comment')),
            'can-discard': attribute(flag, mayApply),
            'can-force-cancel': attribute(flag, may(standing, 'runs/force-cancel')),
            'can-force-execute': attribute(flag, may(standing, 'runs/force-execute')),
            'can-override-policy-check': attribute(flag, mayOverride),
          },
          "The caller's permissions, regardless of the status.",
        ),
        'plan-only': attribute(flag, state.planOnly),
        'policy-paths': attribute(noTexts, [], 'Empty: policies of a configuration are not evaluated.'),
        'position-in-queue': attribute(
          count,
          position,
          'The position in the run queue of the organization while the run waits for its workspace. Otherwise 0.',
        ),
        refresh: attribute(flag, options.refresh),
        'refresh-only': attribute(flag, options.refreshOnly),
        'replace-addrs': attribute(
          addresses,
          options.replaceAddrs,
          'Addresses of resources to replace. Null for none.',
        ),
        'save-plan': attribute(flag, state.savePlan),
        source: attribute(runSource, state.source),
        status: attribute(runStatus, state.status),
        'status-timestamps': attribute(runTimestamps, {
          ...state.statusTimestamps,
          ...(forced && { 'force-canceled-at': forced.at }),
        }),
        'target-addrs': attribute(addresses, options.targetAddrs, 'Addresses of resources to target. Null for all.'),
        'terraform-version': attribute(
          maybeText,
          options.terraformVersion,
          'The version of the workspace when the run was created, unless the request named one.',
        ),
        'trigger-reason': attribute(manual, 'manual'),
        'updated-at': attribute(dateTime, updatedAtOf(state), 'When it last reached a status.'),
        variables: each(options.variables, runVariable(words)),
      },
      relationships: {
        apply: toOne(phaseTypes.apply, phaseId(state.id, 'apply')),
        'canceled-by': actor(words, dialect, decisionOf(state, 'cancel', 'force-cancel')?.by ?? null),
        'confirmed-by': actor(words, dialect, decisionOf(state, 'confirm')?.by ?? null),
        'configuration-version': toOneAt(
          dialect.configurationVersionType,
          state.configurationVersionId,
          `${self}/configuration-version`,
        ),
        comments: {
          data: attribute(
            commentIdentifiers,
            ids.comments.map((id) => ({ id, type: 'comments' as const })),
          ),
          links: { related: link(`${self}/comments`) },
        },
        'created-by': actor(words, dialect, state.createdBy),
        plan: toOne(phaseTypes.plan, phaseId(state.id, 'plan')),
        'run-events': {
          data: attribute(
            eventIdentifiers,
            ids.events.map((id) => ({ id, type: 'run-events' as const })),
          ),
          links: { related: link(`${self}/run-events`) },
        },
        'task-stages': toMany(
          'task-stages',
          stageIds,
          'In the order of the run. Empty if neither policies nor run tasks apply to it.',
        ),
        workspace: toOne('workspaces', state.workspaceId),
      },
      links: { self: link(self) },
    };
  };

export const presentRun = run(presenting);

const anyRun = anyView<RunState>({ id: '', decisions: [], statusTimestamps: {} });

export const runSchema = described({ name: 'Run' }, (words, dialect) =>
  run(words)(dialect)(anyView({ run: anyRun, comments: [] })),
);

const phaseStatus = z.enum(phaseStatuses);
const logUrlSchema = z.url();
const touched = count.nullable().describe('Null until the phase is finished.');
const phaseTimestamps = timestamps(['queued-at', 'started-at', 'finished-at']);

function phaseStamps(run: RunState, phase: Phase) {
  const [queued, started, finished] = phaseInstants(run, phase);
  return {
    ...(queued && { 'queued-at': queued }),
    ...(started && { 'started-at': started }),
    ...(finished && { 'finished-at': finished }),
  };
}

/** A plan or an apply. Its log can be followed at `log-read-url`, without a token. */
const phaseOf =
  ({ attribute, link }: ResourceBuilder) =>
  (dialect: Dialect, phase: Phase) =>
  ({ run, logUrl }: ShownPhase): Resource => {
    const id = phaseId(run.id, phase);
    const counts = phase === 'plan' ? run.planned : run.applied;
    return {
      id,
      type: phaseTypes[phase],
      attributes: {
        status: attribute(phaseStatus, phaseStatusOf(run, phase)),
        'log-read-url': attribute(
          logUrlSchema,
          logUrl,
          'Returns the log as text. No token is needed: the URL is signed. Keep it secret.',
        ),
        'resource-additions': attribute(touched, counts?.additions ?? null),
        'resource-changes': attribute(touched, counts?.changes ?? null),
        'resource-destructions': attribute(touched, counts?.destructions ?? null),
        'resource-imports': attribute(touched, counts?.imports ?? null),
        ...(phase === 'plan'
          ? {
              'has-changes': attribute(flag, run.hasChanges),
              'generated-configuration': attribute(flag, run.planned?.generatedConfiguration ?? false),
            }
          : {}),
        'status-timestamps': attribute(phaseTimestamps, phaseStamps(run, phase)),
      },
      relationships: {},
      links: { self: link(`${dialect.prefix}/${phaseTypes[phase]}/${id}`) },
    };
  };

export const presentPhase = phaseOf(presenting);

export const planSchema = described({ name: 'Plan' }, (words, dialect) => phaseOf(words)(dialect, 'plan')(anyView()));
export const applySchema = described({ name: 'Apply' }, (words, dialect) =>
  phaseOf(words)(dialect, 'apply')(anyView()),
);

/** The resource's id is the organization's name. */
const runCapacity =
  ({ attribute }: ResourceBuilder) =>
  (organizationName: string) =>
  ({ pending, running }: RunCapacity): Resource => ({
    id: organizationName,
    type: 'organization-capacity',
    attributes: {
      pending: attribute(
        count,
        pending,
        'Number of runs that wait for their workspace, their configuration or an agent.',
      ),
      running: attribute(count, running, 'Number of runs that are being executed.'),
    },
  });

export const presentRunCapacity = runCapacity(presenting);

export const runCapacitySchema = described(
  { name: 'OrganizationCapacity', about: 'Run capacity. Its id is the name of the organization.' },
  (words) => runCapacity(words)('')(anyView()),
);

/** The id is that of the team. */
const decidingTeam =
  ({ attribute, toOneAt }: ResourceBuilder) =>
  (dialect: Dialect) =>
  ({ teamId, name }: DecidingTeam): Resource => ({
    id: teamId,
    type: 'deciding-teams',
    attributes: { name: attribute(text, name) },
    relationships: { team: toOneAt('teams', teamId, `${dialect.prefix}/teams/${teamId}`) },
  });

export const presentDecidingTeam = decidingTeam(presenting);

export const decidingTeamSchema = described(
  { name: 'DecidingTeam', about: 'A team whose members may take the decision that a run waits for.' },
  (words, dialect) => decidingTeam(words)(dialect)(anyView()),
);
