import type { UseCases } from '../../../../application/use-cases.js';
import { answerOne } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { shows } from '../../routing/reference.js';
import { documentSchema } from '../../routing/resource-schema.js';
import { act, created, get, parameter, type Route } from '../../routing/route.js';
import { policySetVersionSchema, presentShownPolicySetVersion } from './policy-set-version-resource.js';

export const policySetVersionRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const present = presentShownPolicySetVersion(dialect);
  return [
    act(
      '/policy-sets/:id/versions',
      'policy-sets/manage',
      () => ({
        operation: 'createPolicySetVersion',
        summary: 'Create a policy set version',
        about:
          '`links.upload` is the URL to upload the policies to. The policy set takes its policies from its newest version that is ready; it must have no policies of its own, and no `vcs-repo`.',
        answers: { 201: documentSchema(policySetVersionSchema(dialect)) },
        refusals: [
          'attribute/invalid',
          'policy-set-version/upload-refused',
          'organization/over-quota',
          'shared/stale-revision',
        ],
      }),
      async (call) => {
        const made = await use.createPolicySetVersion.execute(call.actor, parameter(call, 'id'));
        return created({ data: present(made) });
      },
    ),
    get(
      '/policy-set-versions/:id',
      'policy-sets/manage',
      shows('showPolicySetVersion', 'Show a policy set version', () => policySetVersionSchema(dialect)),
      answerOne(present, (call) => use.showPolicySetVersion.execute(call.actor, parameter(call, 'id'))),
    ),
  ];
};
