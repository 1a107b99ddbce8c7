import { z } from 'zod';
import type { RenewedTrialLease, TrialJob } from '../../../../application/index.js';
import { enforcementLevels } from '../../../../domain/index.js';
import { directoryOf } from '../../../../domain/supporting/workspaces/workspace.js';
import { anyView, describedJson, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, flag, maybeText, text } from '../../routing/resource-schema.js';
import { leaseEnds } from './agent-api-resource.js';

const level = z.enum(enforcementLevels);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const addresses = z.array(text).nullable();
const fileUrl = z.string().startsWith('/agent/v1/policy-trials/').describe('The path of the file on this service.');

/** The plans of one workspace: neither variables nor a state. */
const trialJob =
  ({ attribute, each }: ResourceBuilder) =>
  ({ leaseToken, expiresAt, trial, workspace, runs }: TrialJob) => {
    const own = `/agent/v1/policy-trials/${trial.id}`;
    return {
      lease: {
        token: attribute(text, leaseToken, 'Send it in the `Lease` header of every request for this trial.'),
        'expires-at': attribute(leaseEnds, expiresAt),
      },
      'policy-trial': {
        id: attribute(text, trial.id),
        'policy-set': {
          id: attribute(text, trial.id, 'Name it so in reports.'),
          name: attribute(text, 'policy trial'),
          'policy-tool-version': attribute(maybeText, trial.policyToolVersion),
          policies: each(trial.policies, (policy) => ({
            name: attribute(text, policy.name),
            query: attribute(maybeText, policy.query),
            'enforcement-level': attribute(level, policy.enforcementLevel),
          })),
          archive: {
            id: attribute(text, trial.id),
            sha256: attribute(sha256, trial.archive.sha256),
            size: attribute(count, trial.archive.bytes),
            url: attribute(fileUrl, `${own}/archive`),
          },
          parameters: each(trial.parameters, ({ key, value }) => ({
            key: attribute(text, key),
            value: attribute(text, value),
            sensitive: attribute(flag, false),
          })),
        },
        workspace: {
          id: attribute(text, workspace.id),
          name: attribute(text, workspace.name),
          organization: attribute(text, workspace.organizationName),
          'working-directory': attribute(text, directoryOf(workspace)),
        },
        plans: each(runs, ({ id, options, planOnly, createdAt }) => ({
          run: {
            id: attribute(text, id),
            message: attribute(text, options.message),
            'plan-only': attribute(flag, planOnly),
            'is-destroy': attribute(flag, options.isDestroy),
            refresh: attribute(flag, options.refresh),
            'refresh-only': attribute(flag, options.refreshOnly),
            'target-addrs': attribute(addresses, options.targetAddrs),
            'replace-addrs': attribute(addresses, options.replaceAddrs),
          },
          'workspace-changed': attribute(
            flag,
            workspace.updatedAt > createdAt,
            'Whether the settings of the workspace may have been others when the run was created.',
          ),
          url: attribute(fileUrl, `${own}/plans/${id}`, 'The redacted plan as JSON.'),
        })),
      },
    };
  };

const trialHeartbeat =
  ({ attribute }: ResourceBuilder) =>
  ({ expiresAt, interrupted }: RenewedTrialLease) => ({
    lease: { 'expires-at': attribute(leaseEnds, expiresAt) },
    interrupted: attribute(flag, interrupted, 'Whether the lease has ended because a run waits for the agent.'),
  });

export const presentTrialJob = trialJob(presenting);
export const presentTrialHeartbeat = trialHeartbeat(presenting);

export const trialJobSchema = describedJson((words) => trialJob(words)(anyView())).meta({ id: 'agent.PolicyTrialJob' });
export const trialHeartbeatSchema = describedJson((words) => trialHeartbeat(words)(anyView()));
