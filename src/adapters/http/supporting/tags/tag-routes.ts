import type { UseCases } from '../../../../application/use-cases.js';
import type { TagBindingOwner } from '../../../../domain/index.js';
import { answerEmpty, answerPage } from '../../routing/answering.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { pageRequest } from '../../routing/pagination.js';
import { valuesOf } from '../../routing/parameters.js';
import { lists, relates } from '../../routing/reference.js';
import { listSchema, type ResourceSchema } from '../../routing/resource-schema.js';
import { type Call, get, ok, parameter, patch, post, type Route, removeListed } from '../../routing/route.js';
import { readingIds } from '../../routing/schema.js';
import { readBindings, readTagIds, readTags, tagsParameters, workspaceTagsParameters } from './tag-requests.js';
import {
  bindingSchema,
  effectiveBindingSchema,
  presentBinding,
  presentEffectiveBinding,
  presentTag,
  tagSchema,
} from './tag-resource.js';

const workspaceType: TypeName = { singular: 'workspace', plural: 'workspaces' };

const listing = (operation: string, summary: string, resource: () => ResourceSchema) => () => ({
  operation,
  summary,
  about: 'Sorted by key. Not paginated: the response has no `links` and no `meta`.',
  answers: { 200: listSchema(resource()) },
});

export const tagRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const tag = () => tagSchema(dialect);
  const tags = readTags(dialect);
  const tagIds = readTagIds(dialect);
  const workspaceIds = readingIds(dialect, workspaceType);
  const bindings = readBindings(dialect);
  const organizationOf = (call: Call) => parameter(call, 'organization');
  const idOf = (call: Call) => parameter(call, 'id');
  const ofWorkspace = '/workspaces/:id/relationships/tags';
  const change = (how: 'add' | 'remove') =>
    answerEmpty((call) => use.changeWorkspaceTags.execute(call.actor, idOf(call), how, tags(call)));
  const presentEffective = presentEffectiveBinding(dialect);
  return [
    get(
      '/organizations/:organization/tags',
      'organizations/read',
      lists('listTags', 'List tags of an organization', tag, {
        about: 'Sorted by name. Only tags of workspaces that the caller may read.',
        parameters: tagsParameters,
      }),
      answerPage(presentTag, (call) => {
        const values = valuesOf(tagsParameters, call.query);
        const filter = { search: values.q, exceptWorkspaceId: values['filter[exclude][taggable][id]'] };
        return use.listTags.execute(call.actor, organizationOf(call), pageRequest(call.query), filter);
      }),
    ),
    removeListed(
      '/organizations/:organization/tags',
      'tags/delete',
      relates('removeTags', 'Delete tags of an organization', tagIds, 'attribute/invalid'),
      answerEmpty((call) => use.removeTags.execute(call.actor, organizationOf(call), tagIds(call))),
    ),
    post(
      '/tags/:id/relationships/workspaces',
      'workspaces/update',
      relates('tagWorkspaces', 'Add a tag to workspaces', workspaceIds, 'attribute/invalid'),
      answerEmpty((call) => use.tagWorkspaces.execute(call.actor, idOf(call), workspaceIds(call))),
    ),
    get(
      ofWorkspace,
      'workspaces/read',
      lists('listWorkspaceTags', 'List tags of a workspace', tag, {
        about: 'Sorted by name.',
        parameters: workspaceTagsParameters,
      }),
      answerPage(presentTag, (call) => {
        const { name } = valuesOf(workspaceTagsParameters, call.query);
        return use.listWorkspaceTags.execute(call.actor, idOf(call), pageRequest(call.query), { search: name });
      }),
    ),
    post(
      ofWorkspace,
      'workspaces/update',
      relates('addWorkspaceTags', 'Add tags to a workspace', tags, 'attribute/invalid'),
      change('add'),
    ),
    removeListed(
      ofWorkspace,
      'workspaces/update',
      relates('removeWorkspaceTags', 'Remove tags from a workspace', tags, 'attribute/invalid'),
      change('remove'),
    ),
    ...(['workspace', 'project'] as const).flatMap((kind): Route[] => {
      const path = `/${kind}s/:id/tag-bindings`;
      const ownerOf = (call: Call): TagBindingOwner => ({ kind, id: idOf(call) });
      const [one, suffix] = kind === 'workspace' ? ['a workspace', ''] : ['a project', 'OfProject'];
      return [
        get(
          path,
          `${kind}s/read`,
          listing(`listTagBindings${suffix}`, `List tag bindings of ${one}`, () => bindingSchema(dialect)),
          async (call) =>
            ok({ data: (await use.listTagBindings.execute(call.actor, ownerOf(call))).map(presentBinding) }),
        ),
        patch(
          path,
          `${kind}s/update`,
          () => ({
            operation: `bindTags${suffix}`,
            summary: `Add tag bindings to ${one}, or change their values`,
            about: 'Other bindings stay. The response has the named ones.',
            body: bindings.schema,
            answers: { 200: listSchema(bindingSchema(dialect)) },
            refusals: ['attribute/invalid'],
          }),
          async (call) =>
            ok({ data: (await use.bindTags.execute(call.actor, ownerOf(call), bindings(call))).map(presentBinding) }),
        ),
        get(
          `/${kind}s/:id/effective-tag-bindings`,
          `${kind}s/read`,
          listing(`listEffectiveTagBindings${suffix}`, `List effective tag bindings of ${one}`, () =>
            effectiveBindingSchema(dialect),
          ),
          async (call) => {
            const effective = await use.listEffectiveTagBindings.execute(call.actor, ownerOf(call));
            return ok({ data: effective.map(presentEffective) });
          },
        ),
      ];
    }),
  ];
};
