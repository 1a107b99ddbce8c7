import type { UseCases } from '../../../application/use-cases.js';
import { answerCreated, answerOne, answerPage } from '../routing/answering.js';
import { bodyKinds } from '../routing/body-kinds.js';
import type { Dialect } from '../routing/dialect.js';
import { pageRequest } from '../routing/pagination.js';
import { creates, lists, shows } from '../routing/reference.js';
import { act, type Call, get, parameter, postLong, type Route } from '../routing/route.js';
import { newPolicyTrial } from './policy-trial-requests.js';
import {
  policyTrialSchema,
  presentPolicyTrial,
  presentShownPolicyTrial,
  presentTrialResult,
  trialResultSchema,
} from './policy-trial-resource.js';

const allPath = '/organizations/:organization/policy-trials';

export const policyTrialRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newPolicyTrial(dialect);
  const present = presentPolicyTrial(dialect);
  const presentShown = presentShownPolicyTrial(dialect);
  const trial = () => policyTrialSchema(dialect);
  const idOf = (call: Call) => parameter(call, 'id');
  return [
    postLong(bodyKinds.policyTrial, async (call) => {
      const organization = await use.createPolicyTrial.admit(call.actor, parameter(call, 'organization'));
      return { organization };
    })(
      allPath,
      'policy-trials/manage',
      creates('createPolicyTrial', 'Create a policy trial', readNew, trial, {
        about:
          'Evaluates a policy set as it would be against the newest plans of the named workspaces, or of those that the named policy set applies to. It changes nothing of their runs. One per caller and two per organization at a time. See `docs/policy-trials.md`.',
        refusals: ['attribute/invalid', 'bundle/malformed', 'bundle/over-limit', 'policy-trial/busy'],
      }),
      answerCreated(present, (call) =>
        use.createPolicyTrial.execute(call.actor, parameter(call, 'organization'), readNew(call)),
      ),
    ),
    get(
      allPath,
      'policy-trials/manage',
      lists('listPolicyTrials', 'List policy trials of an organization', trial, { about: 'Newest first.' }),
      answerPage(present, (call) =>
        use.listPolicyTrials.execute(call.actor, parameter(call, 'organization'), pageRequest(call.query)),
      ),
    ),
    get(
      '/policy-trials/:id',
      'policy-trials/manage',
      shows('showPolicyTrial', 'Show a policy trial', trial),
      answerOne(presentShown, (call) => use.showPolicyTrial.execute(call.actor, idOf(call))),
    ),
    get(
      '/policy-trials/:id/results',
      'policy-trials/manage',
      lists('listPolicyTrialResults', 'List results of a policy trial', () => trialResultSchema(dialect), {
        about: 'One for each plan, newest first. Only runs that the caller may read.',
      }),
      answerPage(presentTrialResult, (call) =>
        use.listPolicyTrialResults.execute(call.actor, idOf(call), pageRequest(call.query)),
      ),
    ),
    act(
      '/policy-trials/:id/actions/cancel',
      'policy-trials/cancel',
      shows('cancelPolicyTrial', 'Cancel a policy trial', trial, {
        about: 'By the caller who created it, and by owners. Its results so far are kept.',
        refusals: ['policy-trial/transition-refused'],
      }),
      answerOne(presentShown, (call) => use.cancelPolicyTrial.execute(call.actor, idOf(call))),
    ),
  ];
};
