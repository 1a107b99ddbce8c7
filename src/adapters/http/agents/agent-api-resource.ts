import { z } from 'zod';
import type { BundleFacts, Job, RenewedLease, StateAnnounced } from '../../../application/index.js';
import {
  enforcementLevels,
  phases,
  policyKinds,
  type RunId,
  type RunStatus,
  runStatuses,
  type StateVersion,
  variableCategories,
} from '../../../domain/index.js';
import * as examples from '../json-api/examples.js';
import { count, dateTime } from '../json-api/resource-schema.js';

/** The job as an agent reads it: what it needs to execute the run, and nothing else of the organization. */
export const presentJob = ({
  leaseToken,
  expiresAt,
  phase,
  run,
  workspace,
  version,
  stage,
  variables,
  ...files
}: Job) => ({
  lease: { token: leaseToken, 'expires-at': expiresAt },
  phase,
  run: {
    id: run.id,
    message: run.options.message,
    'plan-only': run.planOnly,
    'save-plan': run.savePlan,
    'auto-apply': run.autoApply,
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
    variables: variables.map(({ key, value, category, hcl, sensitive }) => ({ key, value, category, hcl, sensitive })),
  },
  configuration: { id: version.id, url: `/agent/v1/runs/${run.id}/configuration` },
  state: files.state && presentJobState(run.id, files.state),
  'plan-file': files.planFile && {
    ...presentArtifact(files.planFile),
    url: `/agent/v1/runs/${run.id}/artifacts/plan-file`,
  },
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
        code: policy.code && { sha256: policy.code, url: `/agent/v1/runs/${run.id}/policies/${policy.code}` },
      })),
    })),
  })),
});

const presentJobState = (runId: RunId, { id, serial, lineage, md5, size }: StateVersion) => ({
  id,
  serial,
  lineage,
  md5,
  size,
  url: `/agent/v1/runs/${runId}/state?id=${id}`,
});

/** What was stored, for whoever sent it to compare. */
export const presentArtifact = ({ bytes, sha256 }: BundleFacts) => ({ size: bytes, sha256 });

type Announced = Pick<StateAnnounced, 'outputsLeftOut'> & { readonly version: Pick<StateVersion, 'id'> };

/** Where the bytes of an announced state go. */
export const presentAnnounced = (runId: RunId, { version: { id }, outputsLeftOut }: Announced) => ({
  id,
  upload: { url: `/agent/v1/runs/${runId}/state-versions/${id}/content` },
  'outputs-left-out': outputsLeftOut,
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

const md5 = z.string().regex(/^[0-9a-f]{32}$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const fileUrl = z.string().startsWith('/agent/v1/runs/').describe('Where it is, on this service.');

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
      'auto-apply': z.boolean(),
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
      variables: z
        .array(
          z.strictObject({
            key: z.string(),
            value: z.string().describe('As it is, also where it is sensitive.'),
            category: z.enum(variableCategories),
            hcl: z.boolean().describe('Whether the value is an expression, and not the text itself.'),
            sensitive: z.boolean(),
          }),
        )
        .describe('As they are when the run is claimed.'),
    }),
    configuration: z.strictObject({
      id: z.string(),
      url: z.string().startsWith('/agent/v1/runs/').describe('Where the files are, on this service.'),
    }),
    state: z
      .strictObject({
        id: z.string(),
        serial: count,
        lineage: z.string(),
        md5,
        size: count,
        url: fileUrl,
      })
      .nullable()
      .describe('The workspace’s current state; null while it has none.'),
    'plan-file': z
      .strictObject({ size: count, sha256, url: fileUrl })
      .nullable()
      .describe('What whoever planned has left to be applied; null with a plan.'),
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
                  code: z
                    .strictObject({ sha256, url: fileUrl })
                    .nullable()
                    .describe('As it was when the run was created; null where the service knows none.'),
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

export const artifactSchema = z
  .strictObject({ size: count, sha256 })
  .meta({ example: presentArtifact({ bytes: 4096, sha256: examples.bundle.sha256 }) });

export const announcedSchema = z
  .strictObject({
    id: z.string(),
    upload: z.strictObject({ url: fileUrl.describe('Where the bytes are to be put.') }),
    'outputs-left-out': count.describe('How many outputs are not kept, because they do not fit.'),
  })
  .meta({ example: presentAnnounced(examples.job.run.id, { version: examples.stateVersion, outputsLeftOut: 0 }) });
