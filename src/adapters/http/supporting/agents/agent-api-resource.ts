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
import { anyView, describedJson, presenting, type Words } from '../../routing/resource.js';
import { count, dateTime, flag, maybeText, text } from '../../routing/resource-schema.js';

const leaseEnds = dateTime.describe('From then on the agent counts as lost, unless it sent a heartbeat.');
const phaseWord = z.enum(phases);
const runStatus = z.enum(runStatuses);
const addresses = z.array(text).nullable();
const category = z.enum(variableCategories);
const policyKind = z.enum(policyKinds);
const level = z.enum(enforcementLevels);
const md5 = z.string().regex(/^[0-9a-f]{32}$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const ofRun = z.string().startsWith('/agent/v1/runs/');
const configurationUrl = ofRun.describe('Where the files are, on this service.');
const fileUrl = ofRun.describe('Where it is, on this service.');

/** The job as an agent reads it: what it needs to execute the run, and nothing else of the organization. */
const job =
  (words: Words) =>
  ({ leaseToken, expiresAt, phase, run, workspace, version, stage, variables, state, planFile }: Job) => {
    const { is, each, orNull } = words;
    const { options } = run;
    const own = `/agent/v1/runs/${run.id}`;
    return {
      lease: {
        token: is(text, leaseToken, 'Goes into the `Lease` header of every request about the run.'),
        'expires-at': is(leaseEnds, expiresAt),
      },
      phase: is(phaseWord, phase),
      run: {
        id: is(text, run.id),
        message: is(text, options.message),
        'plan-only': is(flag, run.planOnly),
        'save-plan': is(flag, run.savePlan),
        'auto-apply': is(flag, run.autoApply),
        'is-destroy': is(flag, options.isDestroy),
        refresh: is(flag, options.refresh),
        'refresh-only': is(flag, options.refreshOnly),
        'allow-empty-apply': is(flag, options.allowEmptyApply),
        'allow-config-generation': is(flag, options.allowConfigGeneration),
        'target-addrs': is(addresses, options.targetAddrs, 'Null for everything.'),
        'replace-addrs': is(addresses, options.replaceAddrs),
        variables: each(options.variables, ({ key, value }) => ({
          key: is(text, key),
          value: is(text, value, 'A literal of the configuration language.'),
        })),
      },
      workspace: {
        id: is(text, workspace.id),
        name: is(text, workspace.name),
        organization: is(text, workspace.organizationName, 'Its name.'),
        'working-directory': is(
          text,
          workspace.workingDirectory,
          'Relative to the configuration’s root; empty for the root itself.',
        ),
        'terraform-version': is(text, options.terraformVersion ?? workspace.terraformVersion),
        variables: each(
          variables,
          (variable) => ({
            key: is(text, variable.key),
            value: is(text, variable.value, 'As it is, also where it is sensitive.'),
            category: is(category, variable.category),
            hcl: is(flag, variable.hcl, 'Whether the value is an expression, and not the text itself.'),
            sensitive: is(flag, variable.sensitive),
          }),
          'As they are when the run is claimed.',
        ),
      },
      configuration: { id: is(text, version.id), url: is(configurationUrl, `${own}/configuration`) },
      state: orNull(
        state,
        ({ id, serial, lineage, md5: hash, size }) => ({
          id: is(text, id),
          serial: is(count, serial),
          lineage: is(text, lineage),
          md5: is(md5, hash),
          size: is(count, size),
          url: is(fileUrl, `${own}/state?id=${id}`),
        }),
        'The workspace’s current state; null while it has none.',
      ),
      'plan-file': orNull(
        planFile,
        (facts) => ({ ...artifact(words)(facts), url: is(fileUrl, `${own}/artifacts/plan-file`) }),
        'What whoever planned has left to be applied; null with a plan.',
      ),
      'policy-evaluations': each(
        phase === 'plan' ? (stage?.evaluations ?? []) : [],
        ({ id, kind, policySets }) => ({
          id: is(text, id),
          'policy-kind': is(policyKind, kind),
          'policy-sets': each(policySets, (set) => ({
            id: is(text, set.id),
            name: is(text, set.name),
            policies: each(set.policies, (policy) => ({
              name: is(text, policy.name),
              query: is(maybeText, policy.query),
              'enforcement-level': is(level, policy.enforcementLevel),
              code: orNull(
                policy.code,
                (code) => ({ sha256: is(sha256, code), url: is(fileUrl, `${own}/policies/${code}`) }),
                'As it was when the run was created; null where the service knows none.',
              ),
            })),
          })),
        }),
        'To be reported after the plan; empty with an apply.',
      ),
    };
  };

/** What was stored, for whoever sent it to compare. */
const artifact =
  ({ is }: Words) =>
  ({ bytes, sha256: hash }: BundleFacts) => ({ size: is(count, bytes), sha256: is(sha256, hash) });

type Announced = Pick<StateAnnounced, 'outputsLeftOut'> & { readonly version: Pick<StateVersion, 'id'> };

/** Where the bytes of an announced state go. */
const announced =
  ({ is }: Words) =>
  (runId: RunId, { version: { id }, outputsLeftOut }: Announced) => ({
    id: is(text, id),
    upload: {
      url: is(fileUrl, `/agent/v1/runs/${runId}/state-versions/${id}/content`, 'Where the bytes are to be put.'),
    },
    'outputs-left-out': is(count, outputsLeftOut, 'How many outputs are not kept, because they do not fit.'),
  });

const heartbeat =
  ({ is }: Words) =>
  ({ expiresAt, status, cancel }: RenewedLease) => ({
    lease: { 'expires-at': is(leaseEnds, expiresAt) },
    run: { status: is(runStatus, status) },
    cancel: is(flag, cancel, 'Somebody asked for the run to be canceled: stop it, and report it so.'),
  });

/** What a report left the run in. */
const reported =
  ({ is }: Words) =>
  (status: RunStatus) => ({ run: { status: is(runStatus, status) } });

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

export const logSizeSchema = z.strictObject({ size: count.describe('Bytes, and so the offset of the next part.') });
