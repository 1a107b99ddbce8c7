import type { PolicySetInclude } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import type { PolicySet, PolicySetScope } from '../../../../domain/index.js';
import { answerEmpty, answerOne } from '../../routing/answering.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { withIncluded } from '../../routing/document.js';
import { pageDocument, pageRequest } from '../../routing/pagination.js';
import { valuesOf } from '../../routing/parameters.js';
import { changes, creates, lists, relates, removes, shows } from '../../routing/reference.js';
import { type Neighbours, presentRelated, schemasOf } from '../../routing/related.js';
import {
  type Call,
  created,
  get,
  ok,
  parameter,
  patch,
  post,
  type Route,
  remove,
  removeListed,
} from '../../routing/route.js';
import { readingIds } from '../../routing/schema.js';
import { projectType, workspaceType } from '../workspaces/workspace-requests.js';
import { policyType } from './policy-requests.js';
import {
  newPolicySet,
  policySetChange,
  policySetParameters,
  policySetsParameters,
  policySetsQuery,
  readSelectors,
} from './policy-set-requests.js';
import { changedPolicySetSchema, policySetSchema, presentPolicySet } from './policy-set-resource.js';

type Operation = readonly [id: string, summary: string];

export const policySetRoutes = (use: UseCases, dialect: Dialect, neighbours: Neighbours): Route[] => {
  const readNew = newPolicySet(dialect);
  const readChange = policySetChange(dialect);
  const present = presentPolicySet(dialect);
  const policySet = () => policySetSchema(dialect);
  const changed = () => changedPolicySetSchema(dialect);
  const included = schemasOf(neighbours, 'policy', 'workspace', 'project', 'policy-set-version');
  const relatedTo = async (call: Call, sets: readonly PolicySet[], include: ReadonlySet<PolicySetInclude>) =>
    include.size === 0
      ? []
      : presentRelated(neighbours, await use.showRelatedToPolicySets.execute(call.actor, sets, include));
  const readPolicies = readingIds(dialect, policyType);
  const policiesPath = '/policy-sets/:id/relationships/policies';
  const changing =
    (list: keyof PolicySetScope, type: TypeName, path: string) =>
    (...[attach, detach]: readonly [attach: Operation, detach: Operation]): Route[] => {
      const ids = readingIds(dialect, type);
      const change = (verb: 'attach' | 'detach') =>
        answerEmpty((call) => use.attachPolicySet.execute(call.actor, parameter(call, 'id'), verb, ids(call), list));
      return [
        post(
          `/policy-sets/:id/relationships/${path}`,
          'policy-sets/manage',
          relates(...attach, ids, 'attribute/invalid'),
          change('attach'),
        ),
        removeListed(
          `/policy-sets/:id/relationships/${path}`,
          'policy-sets/manage',
          relates(...detach, ids),
          change('detach'),
        ),
      ];
    };
  const changePolicies = (change: 'attach' | 'detach') =>
    answerEmpty((call) =>
      use.changePoliciesOfSet.execute(call.actor, parameter(call, 'id'), change, readPolicies(call)),
    );
  const changeSelectors = (change: 'add' | 'remove') =>
    answerEmpty((call) =>
      use.changeTagSelectors.execute(call.actor, parameter(call, 'id'), change, readSelectors(call)),
    );
  const selectorsPath = '/policy-sets/:id/tag-selectors';
  return [
    get(
      '/organizations/:organization/policy-sets',
      'policy-sets/manage',
      lists('listPolicySets', 'List policy sets of an organization', policySet, {
        parameters: policySetsParameters,
        included,
      }),
      async (call) => {
        const { filter, include } = policySetsQuery(call);
        const name = parameter(call, 'organization');
        const page = await use.listPolicySets.execute(call.actor, name, pageRequest(call.query), filter);
        const document = pageDocument(call.path, call.query, page, present);
        return ok(withIncluded(document, await relatedTo(call, page.items, include)));
      },
    ),
    post(
      '/organizations/:organization/policy-sets',
      'policy-sets/manage',
      creates('createPolicySet', 'Create a policy set', readNew, changed, {
        about:
          'With `vcs-repo`, the response contains the key of its webhook, and the first version is fetched at once.',
        refusals: ['attribute/invalid', 'attribute/taken'],
      }),
      async (call) => {
        const { settings, lists } = readNew(call);
        const name = parameter(call, 'organization');
        const made = await use.createPolicySet.execute(call.actor, name, settings, lists);
        return created({ data: present(made) });
      },
    ),
    get(
      '/policy-sets/:id',
      'policy-sets/manage',
      shows('showPolicySet', 'Show a policy set', policySet, { parameters: policySetParameters, included }),
      async (call) => {
        const { include } = valuesOf(policySetParameters, call.query);
        const shown = await use.showPolicySet.execute(call.actor, parameter(call, 'id'));
        return ok(withIncluded({ data: present(shown) }, await relatedTo(call, [shown], include)));
      },
    ),
    patch(
      '/policy-sets/:id',
      'policy-sets/manage',
      changes('updatePolicySet', 'Update a policy set', readChange, changed, {
        about:
          'The list of policies, and every list of ids that is named, is replaced as a whole. Runs that were created before keep their policies. Without `vcs-repo` (null) the set keeps its current version.',
        refusals: ['attribute/invalid', 'attribute/taken'],
      }),
      answerOne(present, (call) => use.updatePolicySet.execute(call.actor, parameter(call, 'id'), readChange(call))),
    ),
    remove(
      '/policy-sets/:id',
      'policy-sets/manage',
      removes('removePolicySet', 'Delete a policy set', {
        about: 'Its policies stay. Runs that were created before keep the set.',
      }),
      answerEmpty((call) => use.removePolicySet.execute(call.actor, parameter(call, 'id'))),
    ),
    ...changing(
      'workspaceIds',
      workspaceType,
      'workspaces',
    )(
      ['attachPolicySet', 'Attach a policy set to workspaces'],
      ['detachPolicySet', 'Detach a policy set from workspaces'],
    ),
    ...changing(
      'excludedWorkspaceIds',
      workspaceType,
      'workspace-exclusions',
    )(
      ['excludeWorkspaces', 'Exclude workspaces from a policy set'],
      ['includeWorkspaces', 'End the exclusion of workspaces from a policy set'],
    ),
    ...changing(
      'projectIds',
      projectType,
      'projects',
    )(
      ['attachPolicySetToProjects', 'Attach a policy set to projects'],
      ['detachPolicySetFromProjects', 'Detach a policy set from projects'],
    ),
    ...changing(
      'excludedProjectIds',
      projectType,
      'project-exclusions',
    )(
      ['excludeProjects', 'Exclude projects from a policy set'],
      ['includeProjects', 'End the exclusion of projects from a policy set'],
    ),
    post(
      selectorsPath,
      'policy-sets/manage',
      relates('addTagSelectors', 'Add tag selectors to a policy set', readSelectors, 'attribute/invalid'),
      changeSelectors('add'),
    ),
    removeListed(
      selectorsPath,
      'policy-sets/manage',
      relates('removeTagSelectors', 'Remove tag selectors from a policy set', readSelectors),
      changeSelectors('remove'),
    ),
    post(
      policiesPath,
      'policy-sets/manage',
      relates('attachPolicies', 'Attach policies to a policy set', readPolicies, 'attribute/invalid'),
      changePolicies('attach'),
    ),
    removeListed(
      policiesPath,
      'policy-sets/manage',
      relates('detachPolicies', 'Detach policies from a policy set', readPolicies),
      changePolicies('detach'),
    ),
  ];
};
