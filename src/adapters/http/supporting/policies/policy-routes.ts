import type { UseCases } from '../../../../application/use-cases.js';
import type { Dialect } from '../../routing/dialect.js';
import { limits } from '../../routing/limits.js';
import { pageDocument, pageRequest } from '../../routing/pagination.js';
import { changes, creates, lists, removes, shows } from '../../routing/reference.js';
import {
  created,
  done,
  get,
  noContent,
  ok,
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
      () => lists('listPolicies', 'List the policies of an organization', policy(), { query: policiesParameters }),
      async (call) => {
        const name = parameter(call, 'organization');
        const page = await use.listPolicies.execute(call.actor, name, policiesFilter(call), pageRequest(call.query));
        return ok(pageDocument(call.path, call.query, page, present));
      },
    ),
    post(
      '/organizations/:organization/policies',
      'policies/manage',
      () =>
        creates('createPolicy', 'Create a policy', readNew, policy(), {
          about: 'Its code is uploaded afterwards. A query is required for OPA, and there is none for Sentinel.',
          refusals: ['attribute/invalid', 'attribute/taken'],
        }),
      async (call) => {
        const name = parameter(call, 'organization');
        return created({ data: present(await use.createPolicy.execute(call.actor, name, readNew(call))) });
      },
    ),
    get(
      '/policies/:id',
      'policies/manage',
      () => shows('showPolicy', 'Show a policy', policy()),
      async (call) => ok({ data: present(await use.showPolicy.execute(call.actor, parameter(call, 'id'))) }),
    ),
    patch(
      '/policies/:id',
      'policies/manage',
      () =>
        changes('updatePolicy', 'Change a policy', readChange, policy(), {
          about: 'Its name and its kind stay. Runs that were queued before are held to it as it was.',
          refusals: ['attribute/invalid'],
        }),
      async (call) =>
        ok({ data: present(await use.updatePolicy.execute(call.actor, parameter(call, 'id'), readChange(call))) }),
    ),
    remove(
      '/policies/:id',
      'policies/manage',
      () => removes('removePolicy', 'Delete a policy'),
      async (call) => {
        await use.removePolicy.execute(call.actor, parameter(call, 'id'));
        return noContent;
      },
    ),
    putBytes(limits.policyCode.most)(
      '/policies/:id/upload',
      'policies/manage',
      () => ({
        operation: 'uploadPolicyCode',
        summary: 'Upload the code of a policy',
        about: 'UTF-8 text, whatever the type says. Runs that were queued before are judged by the code there was.',
        body: code,
        answers: { 200: null },
        refusals: ['organization/over-quota'],
      }),
      async (call) => {
        await use.uploadPolicyCode.execute(call.actor, parameter(call, 'id'), readCode(call));
        return done;
      },
    ),
    get(
      '/policies/:id/download',
      'policies/manage',
      () => ({
        operation: 'readPolicyCode',
        summary: 'Download the code of a policy',
        about: 'As it was uploaded last; 404 before the first time.',
        answers: { 200: code },
      }),
      async (call) => plainText(await use.readPolicyCode.execute(call.actor, parameter(call, 'id'))),
    ),
  ];
};
