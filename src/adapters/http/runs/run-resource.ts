import { z } from 'zod';
import type { RunCapacity, ShownPhase, ShownRun } from '../../../application/index.js';
import {
  completedRunStatuses,
  may,
  type Phase,
  type ResourceCounts,
  Run,
  type RunEvent,
  type RunId,
  type RunState,
  runEventsOf,
  runStatuses,
  type TokenOwner,
} from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOne, toOneAt } from '../json-api/document.js';
import * as examples from '../json-api/examples.js';
import {
  count,
  dateTime,
  flags,
  linkedSchema,
  linkIn,
  perDialect,
  resourceSchema,
  stampsOf,
  timestamps,
  toManySchema,
  toOneSchema,
} from '../json-api/resource-schema.js';
import { ownerTypes, presentOwner } from '../users/user-resource.js';

/** A run's two parts have no rows of their own: their ids are the run's, with another prefix. */
export const phaseId = (runId: string, phase: Phase): string => runId.replace(/^run-/, `${phase}-`);
/** Empty, which no run's id is, for an id without the phase's prefix. */
export const runIdOf = (id: string, phase: Phase): string =>
  id.startsWith(`${phase}-`) ? `run-${id.slice(phase.length + 1)}` : '';

const phaseTypes = { plan: 'plans', apply: 'applies' } as const;

const presentActor = (dialect: Dialect, actor: TokenOwner | null) =>
  presentOwner(actor !== null && dialect.runActors.includes(actor.kind) ? actor : null);

const actorSchema = ({ runActors }: Dialect) =>
  toOneSchema(
    runActors.map((kind) => ownerTypes[kind]),
    { nullable: true },
  ).describe('Null where nobody did it, nobody knows any more who, or it was none of these.');

export const presentRun =
  (dialect: Dialect) =>
  ({ run: state, standing, stageId, position }: ShownRun): Resource => {
    const run = Run.restore(state);
    const mayApply = may(standing, 'runs/apply');
    const mayOverride = may(standing, 'policy-outcomes/override');
    const { options } = state;
    return {
      id: state.id,
      type: 'runs',
      attributes: {
        actions: {
          'is-cancelable': run.allows(run.cancelTrigger) && !state.cancelRequested,
          'is-confirmable': run.allows('confirm'),
          'is-discardable': run.allows('discard'),
          'is-force-cancelable': false,
        },
        'allow-config-generation': options.allowConfigGeneration,
        'allow-empty-apply': options.allowEmptyApply,
        'auto-apply': state.autoApply,
        'canceled-at': state.statusTimestamps['canceled-at'] ?? null,
        'created-at': state.createdAt,
        'error-message': state.failure,
        'has-changes': state.hasChanges,
        'is-destroy': options.isDestroy,
        message: options.message,
        permissions: {
          'can-apply': mayApply,
          'can-cancel': mayApply,
          'can-comment': false,
          'can-discard': mayApply,
          'can-force-cancel': false,
          'can-force-execute': false,
          'can-override-policy-check': mayOverride,
        },
        'plan-only': state.planOnly,
        'position-in-queue': position,
        refresh: options.refresh,
        'refresh-only': options.refreshOnly,
        'replace-addrs': options.replaceAddrs,
        'save-plan': state.savePlan,
        source: state.source,
        status: state.status,
        'status-timestamps': state.statusTimestamps,
        'target-addrs': options.targetAddrs,
        'terraform-version': options.terraformVersion,
        'trigger-reason': 'manual',
        variables: options.variables,
      },
      relationships: {
        apply: toOne(phaseTypes.apply, phaseId(state.id, 'apply')),
        'configuration-version': toOneAt(
          dialect.configurationVersionType,
          state.configurationVersionId,
          `${dialect.prefix}/runs/${state.id}/configuration-version`,
        ),
        'created-by': presentActor(dialect, state.createdBy),
        plan: toOne(phaseTypes.plan, phaseId(state.id, 'plan')),
        'run-events': { links: { related: `${dialect.prefix}/runs/${state.id}/run-events` } },
        'task-stages': { data: stageId === null ? [] : [{ id: stageId, type: 'task-stages' }] },
        workspace: toOne('workspaces', state.workspaceId),
      },
      links: { self: `${dialect.prefix}/runs/${state.id}` },
    };
  };

/** One of those of a run. Its id is good for telling it from others only. */
export const presentRunEvent =
  (dialect: Dialect, runId: RunId) =>
  ({ action, description, createdAt, actor }: RunEvent): Resource => ({
    id: runId.replace(/^run-/, 're-').concat('-', action.replaceAll('_', '-')),
    type: 'run-events',
    attributes: { action, description, 'created-at': createdAt },
    relationships: { actor: presentActor(dialect, actor), run: toOne('runs', runId) },
  });

const phaseStatuses = ['pending', 'queued', 'running', 'finished', 'canceled', 'errored', 'unreachable'] as const;

/** How far a part has come, told from the stamps that the run's statuses left. */
function statusOf({ status, statusTimestamps }: RunState, phase: Phase): (typeof phaseStatuses)[number] {
  const words = {
    plan: { queued: 'plan_queued', running: 'planning', begun: 'planning-at', ended: 'planned-at' },
    apply: { queued: 'apply_queued', running: 'applying', begun: 'applying-at', ended: 'applied-at' },
  }[phase];
  if (statusTimestamps[words.ended] !== undefined) return 'finished';
  if (status === words.queued) return 'queued';
  if (status === words.running) return 'running';
  if (!completedRunStatuses.includes(status)) return 'pending';
  if (statusTimestamps[words.begun] === undefined) return status === 'canceled' ? 'canceled' : 'unreachable';
  return status === 'canceled' ? 'canceled' : 'errored';
}

const countsToWire = (counts: ResourceCounts | null) => ({
  'resource-additions': counts?.additions ?? null,
  'resource-changes': counts?.changes ?? null,
  'resource-destructions': counts?.destructions ?? null,
  'resource-imports': counts?.imports ?? null,
});

/** A plan or an apply. Its log can be followed at `log-read-url`, without a token. */
export const presentPhase =
  (dialect: Dialect, phase: Phase) =>
  ({ run, logUrl }: ShownPhase): Resource => {
    const id = phaseId(run.id, phase);
    return {
      id,
      type: phaseTypes[phase],
      attributes: {
        status: statusOf(run, phase),
        'log-read-url': logUrl,
        ...countsToWire(phase === 'plan' ? run.planned : run.applied),
        ...(phase === 'plan'
          ? {
              'has-changes': run.hasChanges,
              'generated-configuration': run.planned?.generatedConfiguration ?? false,
            }
          : {}),
        'status-timestamps': Object.fromEntries(
          Object.entries({
            'queued-at': run.statusTimestamps[phase === 'plan' ? 'plan-queued-at' : 'apply-queued-at'],
            'started-at': run.statusTimestamps[phase === 'plan' ? 'planning-at' : 'applying-at'],
            'finished-at': run.statusTimestamps[phase === 'plan' ? 'planned-at' : 'applied-at'],
          }).filter(([, instant]) => instant !== undefined),
        ),
      },
      relationships: {},
      links: { self: `${dialect.prefix}/${phaseTypes[phase]}/${id}` },
    };
  };

const addresses = z.array(z.string()).nullable().describe('Addresses of resources; null for all.');

export const runSchema = perDialect((dialect) => {
  const link = linkIn(dialect);
  return resourceSchema(dialect, {
    name: 'Run',
    type: 'runs',
    attributes: {
      actions: flags(['is-cancelable', 'is-confirmable', 'is-discardable', 'is-force-cancelable']).describe(
        'What the status allows, whoever asks.',
      ),
      'allow-config-generation': z.boolean(),
      'allow-empty-apply': z.boolean(),
      'auto-apply': z.boolean(),
      'canceled-at': dateTime.nullable(),
      'created-at': dateTime,
      'error-message': z.string().nullable().describe('Why it is errored, in a sentence.'),
      'has-changes': z.boolean().describe('False until the plan ends.'),
      'is-destroy': z.boolean(),
      message: z.string(),
      permissions: flags([
        'can-apply',
        'can-cancel',
        'can-comment',
        'can-discard',
        'can-force-cancel',
        'can-force-execute',
        'can-override-policy-check',
      ]).describe('What the caller may do, whatever the status.'),
      'plan-only': z.boolean(),
      'position-in-queue': count.describe(
        'Its place among what is executed or waits in the organization, while it waits for its workspace; 0 otherwise.',
      ),
      refresh: z.boolean(),
      'refresh-only': z.boolean(),
      'replace-addrs': addresses.describe('Addresses of resources to replace; null for none.'),
      'save-plan': z.boolean(),
      source: z.enum(['tfe-api', 'tfe-configuration-version']),
      status: z.enum(runStatuses),
      'status-timestamps': timestamps(['plan-queueable-at', ...stampsOf(runStatuses)]),
      'target-addrs': addresses,
      'terraform-version': z.string().nullable().describe('Null for the workspace’s.'),
      'trigger-reason': z.literal('manual'),
      variables: z.array(
        z.strictObject({ key: z.string(), value: z.string().describe('A literal of the configuration language.') }),
      ),
    },
    relationships: {
      apply: toOneSchema(phaseTypes.apply),
      'configuration-version': toOneSchema(dialect.configurationVersionType, { related: link }),
      'created-by': actorSchema(dialect),
      plan: toOneSchema(phaseTypes.plan),
      'run-events': linkedSchema(link),
      'task-stages': toManySchema('task-stages').describe('Empty where no policy applies.'),
      workspace: toOneSchema('workspaces'),
    },
    links: { self: link },
    example: presentRun(dialect)(examples.shownRun),
  });
});

export const runEventSchema = perDialect((dialect) =>
  resourceSchema(dialect, {
    name: 'RunEvent',
    type: 'run-events',
    attributes: {
      action: z.enum(['created', ...runStatuses]).describe('The status that was reached.'),
      description: z.string(),
      'created-at': dateTime,
    },
    relationships: { actor: actorSchema(dialect), run: toOneSchema('runs') },
    example: presentRunEvent(dialect, examples.run.id)(runEventsOf(examples.run)[0] as RunEvent),
  }),
);

/** Of the organization of this name. */
export const presentRunCapacity =
  (organizationName: string) =>
  ({ pending, running }: RunCapacity): Resource => ({
    id: organizationName,
    type: 'organization-capacity',
    attributes: { pending, running },
  });

export const runCapacitySchema = perDialect((dialect) =>
  resourceSchema(dialect, {
    name: 'OrganizationCapacity',
    type: 'organization-capacity',
    description: 'Its id is the name of the organization.',
    attributes: {
      pending: count.describe('Runs that wait for their turn, their files or an agent.'),
      running: count.describe('Runs that are executed.'),
    },
    example: presentRunCapacity(examples.organization.name)({ pending: 2, running: 1 }),
  }),
);

const touched = count.nullable().describe('Null until it has finished.');

const phaseSchema = (name: string, phase: Phase) =>
  perDialect((dialect: Dialect) =>
    resourceSchema(dialect, {
      name,
      type: phaseTypes[phase],
      attributes: {
        status: z.enum(phaseStatuses),
        'log-read-url': z.url().describe('Answers the log as text, without a token. Keep it secret.'),
        'resource-additions': touched,
        'resource-changes': touched,
        'resource-destructions': touched,
        'resource-imports': touched,
        ...(phase === 'plan' ? { 'has-changes': z.boolean(), 'generated-configuration': z.boolean() } : {}),
        'status-timestamps': timestamps(['queued-at', 'started-at', 'finished-at']),
      },
      relationships: {},
      links: { self: linkIn(dialect) },
      example: presentPhase(dialect, phase)(examples.shownPhase),
    }),
  );

export const planSchema = phaseSchema('Plan', 'plan');
export const applySchema = phaseSchema('Apply', 'apply');
