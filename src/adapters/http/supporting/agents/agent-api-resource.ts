import { z } from 'zod';
import type { BundleFacts, Job, RenewedLease, StateAnnounced } from '../../../../application/index.js';
import {
  enforcementLevels,
  phases,
  policyKinds,
  type RunId,
  type RunStatus,
  runStatuses,
  type StateVersion,
  variableCategories,
} from '../../../../domain/index.js';
import { directoryOf } from '../../../../domain/supporting/workspaces/workspace.js';
import { anyView, describedJson, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, dateTime, flag, maybeText, text } from '../../routing/resource-schema.js';

export const leaseEnds = dateTime.describe(
  'When the lease expires. An agent that has not sent a heartbeat by then is considered lost.',
);
const phaseWord = z.enum(phases);
const runStatus = z.enum(runStatuses);
const addresses = z.array(text).nullable();
const category = z.enum(variableCategories);
const policyKind = z.enum(policyKinds);
const level = z.enum(enforcementLevels);
const md5 = z.string().regex(/^[0-9a-f]{32}$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const ofRun = z.string().startsWith('/agent/v1/runs/');
const configurationUrl = ofRun.describe('The path of the configuration archive on this service.');
const fileUrl = ofRun.describe('The path of the file on this service.');

/** The job as an agent reads it: what it needs to execute the run, and nothing else of the organization. */
const job =
  (words: ResourceBuilder) =>
  ({
    leaseToken,
    expiresAt,
    phase,
    run,
    workspace,
    version,
    stage,
    runVariables,
    variables,
    parameters,
    state,
    planFile,
    sharedStatesUrl,
  }: Job) => {
    const { attribute, each, orNull } = words;
    const { options } = run;
    const own = `/agent/v1/runs/${run.id}`;
    return {
      lease: {
        token: attribute(text, leaseToken, 'Send it in the `Lease` header of every request for this run.'),
        'expires-at': attribute(leaseEnds, expiresAt),
      },
      phase: attribute(phaseWord, phase),
      run: {
        id: attribute(text, run.id),
        message: attribute(text, options.message),
        'plan-only': attribute(flag, run.planOnly),
        'save-plan': attribute(flag, run.savePlan),
        'auto-apply': attribute(flag, run.autoApply),
        'is-destroy': attribute(flag, options.isDestroy),
        refresh: attribute(flag, options.refresh),
        'refresh-only': attribute(flag, options.refreshOnly),
        'allow-empty-apply': attribute(flag, options.allowEmptyApply),
        'allow-config-generation': attribute(flag, options.allowConfigGeneration),
        'debugging-mode': attribute(flag, options.debuggingMode, 'Whether to set `TF_LOG=TRACE`.'),
        'target-addrs': attribute(addresses, options.targetAddrs, 'Null if the run has no targets.'),
        'replace-addrs': attribute(addresses, options.replaceAddrs),
        variables: each(runVariables, ({ key, value }) => ({
          key: attribute(text, key),
          value: attribute(text, value, 'A literal in the configuration language.'),
        })),
      },
      workspace: {
        id: attribute(text, workspace.id),
        name: attribute(text, workspace.name),
        organization: attribute(text, workspace.organizationName, 'The name of the organization.'),
        'working-directory': attribute(
          text,
          directoryOf(workspace),
          'Relative to the root of the configuration. Empty for the root.',
        ),
        'terraform-version': attribute(text, options.terraformVersion ?? workspace.terraformVersion),
        variables: each(
          variables,
          (variable) => ({
            key: attribute(text, variable.key),
            value: attribute(text, variable.value, 'The value in clear text, even if it is sensitive.'),
            category: attribute(category, variable.category),
            hcl: attribute(
              flag,
              variable.hcl,
              'Whether the value is parsed as an expression rather than taken literally.',
            ),
            sensitive: attribute(flag, variable.sensitive),
          }),
          'The variables of the workspace and its variable sets, as of the claim of the run.',
        ),
      },
      configuration: { id: attribute(text, version.id), url: attribute(configurationUrl, `${own}/configuration`) },
      state: orNull(
        state,
        ({ id, serial, lineage, md5: hash, size }) => ({
          id: attribute(text, id),
          serial: attribute(count, serial),
          lineage: attribute(text, lineage),
          md5: attribute(md5, hash),
          size: attribute(count, size),
          url: attribute(fileUrl, `${own}/state?id=${id}`),
        }),
        'The current state of the workspace. Null if it has none.',
      ),
      'shared-states-url': attribute(
        text,
        sharedStatesUrl,
        'The base URL from which terraform reads the states that other workspaces share with this one.',
      ),
      'plan-file': orNull(
        planFile,
        (facts) => ({ ...artifact(words)(facts), url: attribute(fileUrl, `${own}/artifacts/plan-file`) }),
        'The saved plan to apply. Null for a plan.',
      ),
      'policy-evaluations': each(
        phase === 'plan' ? (stage?.evaluations ?? []) : [],
        ({ id, kind, policySets }) => ({
          id: attribute(text, id),
          'policy-kind': attribute(policyKind, kind),
          'policy-sets': each(policySets, (set) => ({
            id: attribute(text, set.id),
            name: attribute(text, set.name),
            'policy-tool-version': attribute(
              maybeText,
              set.policyToolVersion,
              'The version of the engine that the policies are written for: Rego v0 below 1. Null if either may be.',
            ),
            policies: each(set.policies, (policy) => ({
              name: attribute(text, policy.name),
              query: attribute(maybeText, policy.query),
              'enforcement-level': attribute(level, policy.enforcementLevel),
              code: orNull(
                policy.code,
                (code) => ({ sha256: attribute(sha256, code), url: attribute(fileUrl, `${own}/policies/${code}`) }),
                'The code as of the creation of the run. Null if none was uploaded.',
              ),
            })),
            archive: orNull(
              set.archive,
              ({ versionId, sha256: hash, bytes }) => ({
                id: attribute(text, versionId),
                sha256: attribute(sha256, hash),
                size: attribute(count, bytes),
                url: attribute(fileUrl, `${own}/policy-set-versions/${versionId}`),
              }),
              'The archive with the code of all policies, as of the creation of the run. Null if each policy has its own.',
            ),
            parameters: each(
              parameters.filter(({ policySetId }) => policySetId === set.id),
              (parameter) => ({
                key: attribute(text, parameter.key),
                value: attribute(text, parameter.value, 'The value in clear text, even if it is sensitive.'),
                sensitive: attribute(flag, parameter.sensitive),
              }),
              'The parameters as of the claim of the run, which policies read as `data.parameters`.',
            ),
          })),
        }),
        'Policy evaluations to report after the plan. Empty for an apply.',
      ),
    };
  };

/** The size and hash of what was stored, for the sender to compare. */
const artifact =
  ({ attribute }: ResourceBuilder) =>
  ({ bytes, sha256: hash }: BundleFacts) => ({ size: attribute(count, bytes), sha256: attribute(sha256, hash) });

type Announced = Pick<StateAnnounced, 'outputsLeftOut'> & { readonly version: Pick<StateVersion, 'id'> };

/** The URL to upload an announced state to. */
const announced =
  ({ attribute }: ResourceBuilder) =>
  (runId: RunId, { version: { id }, outputsLeftOut }: Announced) => ({
    id: attribute(text, id),
    upload: {
      url: attribute(
        fileUrl,
        `/agent/v1/runs/${runId}/state-versions/${id}/content`,
        'The path to upload the content to, with PUT.',
      ),
    },
    'outputs-left-out': attribute(
      count,
      outputsLeftOut,
      'Number of outputs that were dropped because they exceed a limit.',
    ),
  });

const heartbeat =
  ({ attribute }: ResourceBuilder) =>
  ({ expiresAt, status, cancel }: RenewedLease) => ({
    lease: { 'expires-at': attribute(leaseEnds, expiresAt) },
    run: { status: attribute(runStatus, status) },
    cancel: attribute(
      flag,
      cancel,
      'Whether a user canceled the run. The agent must stop it and report it as canceled.',
    ),
  });

/** The status of the run after a report. */
const reported =
  ({ attribute }: ResourceBuilder) =>
  (status: RunStatus) => ({ run: { status: attribute(runStatus, status) } });

export const presentJob = job(presenting);
export const presentArtifact = artifact(presenting);
export const presentAnnounced = announced(presenting);
export const presentHeartbeat = heartbeat(presenting);
export const presentReported = reported(presenting);

export const jobSchema = describedJson((words) => job(words)(anyView({ phase: 'plan' }))).meta({ id: 'agent.Job' });
export const heartbeatSchema = describedJson((words) => heartbeat(words)(anyView()));
export const reportedSchema = describedJson((words) => reported(words)('planned'));
export const artifactSchema = describedJson((words) => artifact(words)(anyView()));
export const announcedSchema = describedJson((words) => announced(words)('', anyView()));

export const logSizeSchema = z.strictObject({
  size: count.describe('The size of the log in bytes, which is the offset of the next chunk.'),
});
