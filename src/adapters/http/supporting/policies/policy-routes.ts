import type { UseCases } from '../../../../application/use-cases.js';
import { answerCreated, answerEmpty, answerOne, answerPage } from '../../routing/answering.js';
import { bodyKinds } from '../../routing/body-kinds.js';
import type { Dialect } from '../../routing/dialect.js';
import { pageRequest } from '../../routing/pagination.js';
import { changes, creates, lists, removes, shows } from '../../routing/reference.js';
import {
  done,
  get,
  parameter,
  patch,
  plainText,
  post,
  putBytes,
  type Route,
  remove,
  textType,
} from '../../routing/route.js';
import { newPolicy, policiesFilter, policiesParameters, policyChange, readCode } from './policy-requests.js';
import { policySchema, presentPolicy } from './policy-resource.js';

const code = { mediaType: textType };

export const policyRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newPolicy(dialect);
  const readChange = policyChange(dialect);
  const present = presentPolicy(dialect);
  const policy = () => policySchema(dialect);
  return [
    get(
      '/organizations/:organization/policies',
      'policies/manage',
      lists('listPolicies', 'List policies of an organization', policy, { parameters: policiesParameters }),
      answerPage(present, (call) =>
        use.listPolicies.execute(
          call.actor,
          parameter(call, 'organization'),
          policiesFilter(call),
          pageRequest(call.query),
        ),
      ),
    ),
    post(
      '/organizations/:organization/policies',
      'policies/manage',
      creates('createPolicy', 'Create a policy', readNew, policy, {
        about:
          'Upload the code separately, after the policy is created. `query` is required for OPA and not allowed for Sentinel.',
        refusals: ['attribute/invalid', 'attribute/taken'],
      }),
      answerCreated(present, (call) =>
        use.createPolicy.execute(call.actor, parameter(call, 'organization'), readNew(call)),
      ),
    ),
    get(
      '/policies/:id',
      'policies/manage',
      shows('showPolicy', 'Show a policy', policy),
      answerOne(present, (call) => use.showPolicy.execute(call.actor, parameter(call, 'id'))),
    ),
    patch(
      '/policies/:id',
      'policies/manage',
      changes('updatePolicy', 'Update a policy', readChange, policy, {
        about: 'The name and the kind cannot be changed. Runs that were created before use the policy as it was.',
        refusals: ['attribute/invalid'],
      }),
      answerOne(present, (call) => use.updatePolicy.execute(call.actor, parameter(call, 'id'), readChange(call))),
    ),
    remove(
      '/policies/:id',
      'policies/manage',
      removes('removePolicy', 'Delete a policy', {
        about: 'Removes it from every policy set. Runs that were created before keep it.',
      }),
      answerEmpty((call) => use.removePolicy.execute(call.actor, parameter(call, 'id'))),
    ),
    putBytes(bodyKinds.policyCode)(
      '/policies/:id/upload',
      'policies/manage',
      () => ({
        operation: 'uploadPolicyCode',
        summary: 'Upload the code of a policy',
        about:
          'The body is UTF-8 text, regardless of the content type. Runs that were created before use the earlier code.',
        body: code,
        answers: { 200: null },
        refusals: ['organization/over-quota'],
      }),
      answerEmpty((call) => use.uploadPolicyCode.execute(call.actor, parameter(call, 'id'), readCode(call)), done),
    ),
    get(
      '/policies/:id/download',
      'policies/manage',
      () => ({
        operation: 'readPolicyCode',
        summary: 'Download the code of a policy',
        about: 'Returns the code that was uploaded last. Returns 404 if none was uploaded.',
        answers: { 200: code },
      }),
      async (call) => plainText(await use.readPolicyCode.execute(call.actor, parameter(call, 'id'))),
    ),
  ];
};
