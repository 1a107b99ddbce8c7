import { z } from 'zod';
import type { Job, RenewedLease } from '../../../application/index.js';
import { enforcementLevels, phases, policyKinds, type RunStatus, runStatuses } from '../../../domain/index.js';
import * as examples from '../json-api/examples.js';
import { count, dateTime } from '../json-api/resource-schema.js';

/** The job as an agent reads it: what it needs to execute the run, and nothing else of the organization. */
export const presentJob = ({ leaseToken, expiresAt, phase, run, workspace, version, stage }: Job) => ({
  lease: { token: leaseToken, 'expires-at': expiresAt },
  phase,
  run: {
    id: run.id,
    message: run.options.message,
    'plan-only': run.planOnly,
    'save-plan': run.savePlan,
    'is-destroy': run.options.isDestroy,
    refresh: run.options.refresh,
    'refresh-only': run.options.refreshOnly,
    'allow-empty-apply': run.options.allowEmptyApply,
    'allow-config-generation': run.options.allowConfigGeneration,
    'target-addrs': run.options.targetAddrs,
    'replace-addrs': run.options.replaceAddrs,
    variables: run.options.variables,
  },
  workspace: {
    id: workspace.id,
    name: workspace.name,
    organization: workspace.organizationName,
    'working-directory': workspace.workingDirectory,
    'terraform-version': run.options.terraformVersion ?? workspace.terraformVersion,
  },
  configuration: { id: version.id, url: `/agent/v1/runs/${run.id}/configuration` },
  'policy-evaluations': (phase === 'plan' ? (stage?.evaluations ?? []) : []).map((evaluation) => ({
    id: evaluation.id,
    'policy-kind': evaluation.kind,
    'policy-sets': evaluation.policySets.map((set) => ({
      id: set.id,
      name: set.name,
      policies: set.policies.map((policy) => ({
        name: policy.name,
        query: policy.query,
        'enforcement-level': policy.enforcementLevel,
      })),
    })),
  })),
});

export const presentHeartbeat = ({ expiresAt, status, cancel }: RenewedLease) => ({
  lease: { 'expires-at': expiresAt },
  run: { status },
  cancel,
});

/** What a report left the run in. */
export const presentReported = (status: RunStatus) => ({ run: { status } });

const addresses = z.array(z.string()).nullable();
const leaseEnds = dateTime.describe('From then on the agent counts as lost, unless it sent a heartbeat.');
const ofRun = z.strictObject({ status: z.enum(runStatuses) });

export const jobSchema = z
  .strictObject({
    lease: z.strictObject({
      token: z.string().describe('Goes into the `Lease` header of every request about the run.'),
      'expires-at': leaseEnds,
    }),
    phase: z.enum(phases),
    run: z.strictObject({
      id: z.string(),
      message: z.string(),
      'plan-only': z.boolean(),
      'save-plan': z.boolean(),
      'is-destroy': z.boolean(),
      refresh: z.boolean(),
      'refresh-only': z.boolean(),
      'allow-empty-apply': z.boolean(),
      'allow-config-generation': z.boolean(),
      'target-addrs': addresses.describe('Null for everything.'),
      'replace-addrs': addresses,
      variables: z.array(
        z.strictObject({ key: z.string(), value: z.string().describe('A literal of the configuration language.') }),
      ),
    }),
    workspace: z.strictObject({
      id: z.string(),
      name: z.string(),
      organization: z.string().describe('Its name.'),
      'working-directory': z.string().describe('Relative to the configuration’s root; empty for the root itself.'),
      'terraform-version': z.string(),
    }),
    configuration: z.strictObject({
      id: z.string(),
      url: z.string().startsWith('/agent/v1/runs/').describe('Where the files are, on this service.'),
    }),
    'policy-evaluations': z
      .array(
        z.strictObject({
          id: z.string(),
          'policy-kind': z.enum(policyKinds),
          'policy-sets': z.array(
            z.strictObject({
              id: z.string(),
              name: z.string(),
              policies: z.array(
                z.strictObject({
                  name: z.string(),
                  query: z.string().nullable(),
                  'enforcement-level': z.enum(enforcementLevels),
                }),
              ),
            }),
          ),
        }),
      )
      .describe('To be reported after the plan; empty with an apply.'),
  })
  .meta({ id: 'agent.Job', example: presentJob(examples.job) });

export const heartbeatSchema = z
  .strictObject({
    lease: z.strictObject({ 'expires-at': leaseEnds }),
    run: ofRun,
    cancel: z.boolean().describe('Somebody asked for the run to be canceled: stop it, and report it so.'),
  })
  .meta({
    example: presentHeartbeat({ expiresAt: examples.job.expiresAt, status: 'planning', cancel: false }),
  });

export const reportedSchema = z.strictObject({ run: ofRun }).meta({ example: presentReported('post_plan_running') });

export const logSizeSchema = z
  .strictObject({ size: count.describe('Bytes, and so the offset of the next part.') })
  .meta({ example: { size: 1024 } });
