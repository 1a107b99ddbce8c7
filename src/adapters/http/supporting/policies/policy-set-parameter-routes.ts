import type { UseCases } from '../../../../application/use-cases.js';
import { answerCreated, answerEmpty, answerOne } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { changes, creates, removes, shows } from '../../routing/reference.js';
import { listSchema } from '../../routing/resource-schema.js';
import { type Call, get, ok, parameter, patch, post, type Route, remove } from '../../routing/route.js';
import { newPolicySetParameter, policySetParameterChange } from './policy-set-parameter-requests.js';
import { policySetParameterSchema, presentPolicySetParameter } from './policy-set-parameter-resource.js';

const refusals = ['attribute/invalid', 'attribute/taken'] as const;
const allPath = '/policy-sets/:policySetId/parameters';
const onePath = '/policy-sets/:policySetId/parameters/:parameterId';

export const policySetParameterRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newPolicySetParameter(dialect);
  const readChange = policySetParameterChange(dialect);
  const present = presentPolicySetParameter(dialect);
  const one = () => policySetParameterSchema(dialect);
  const setOf = (call: Call) => parameter(call, 'policySetId');
  const idOf = (call: Call) => parameter(call, 'parameterId');
  return [
    get(
      allPath,
      'policy-sets/manage',
      () => ({
        operation: 'listPolicySetParameters',
        summary: 'List parameters of a policy set',
        about: 'Sorted by key. Not paginated: the response has no `links` and no `meta`.',
        answers: { 200: listSchema(one()) },
      }),
      async (call) => ok({ data: (await use.listPolicySetParameters.execute(call.actor, setOf(call))).map(present) }),
    ),
    post(
      allPath,
      'policy-sets/manage',
      creates('createPolicySetParameter', 'Create a parameter of a policy set', readNew, one, {
        about: 'Policies read it as `data.parameters`. Runs that are claimed afterwards use it.',
        refusals,
      }),
      answerCreated(present, (call) => use.createPolicySetParameter.execute(call.actor, setOf(call), readNew(call))),
    ),
    get(
      onePath,
      'policy-sets/manage',
      shows('showPolicySetParameter', 'Show a parameter of a policy set', one),
      answerOne(present, (call) => use.showPolicySetParameter.execute(call.actor, setOf(call), idOf(call))),
    ),
    patch(
      onePath,
      'policy-sets/manage',
      changes('updatePolicySetParameter', 'Update a parameter of a policy set', readChange, one, {
        about: 'A sensitive parameter cannot be made non-sensitive.',
        refusals,
      }),
      answerOne(present, (call) =>
        use.updatePolicySetParameter.execute(call.actor, setOf(call), idOf(call), readChange(call)),
      ),
    ),
    remove(
      onePath,
      'policy-sets/manage',
      removes('removePolicySetParameter', 'Delete a parameter of a policy set'),
      answerEmpty((call) => use.removePolicySetParameter.execute(call.actor, setOf(call), idOf(call))),
    ),
  ];
};
