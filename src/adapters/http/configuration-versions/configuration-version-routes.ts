import type { BackingDataChange, ShownRun } from '../../../application/index.js';
import type { UseCases } from '../../../application/use-cases.js';
import { answerEmpty } from '../routing/answering.js';
import type { Dialect } from '../routing/dialect.js';
import { withIncluded } from '../routing/document.js';
import { pageDocument, pageRequest } from '../routing/pagination.js';
import { valuesOf } from '../routing/parameters.js';
import { creates, lists, type Reference, shows } from '../routing/reference.js';
import {
  accepted,
  act,
  created,
  done,
  get,
  type Neighbour,
  ok,
  parameter,
  post,
  type Route,
} from '../routing/route.js';
import { answerLocated, locates } from './archive-location.js';
import { configurationVersionParameters, newConfigurationVersion } from './configuration-version-requests.js';
import {
  configurationVersionSchema,
  createdConfigurationVersionSchema,
  ingressAttributesSchema,
  presentConfigurationVersion,
  presentIngressAttributes,
} from './configuration-version-resource.js';

const backingDataInWords: Readonly<Record<BackingDataChange, Pick<Reference, 'operation' | 'summary' | 'about'>>> = {
  'soft-delete': {
    operation: 'softDeleteBackingData',
    summary: "Soft-delete a configuration version's backing data",
    about:
      'Hides the version until its backing data is restored. After `SOFT_DELETE_DAYS` days the data is deleted permanently. Refused for the current version, for a version that a run in progress uses, and for one from version control.',
  },
  restore: {
    operation: 'restoreBackingData',
    summary: "Restore a configuration version's backing data",
    about: 'Possible until the data is permanently deleted. The version becomes `uploaded` again.',
  },
  'permanently-delete': {
    operation: 'permanentlyDeleteBackingData',
    summary: "Permanently delete a configuration version's backing data",
    about: 'Possible only after a soft delete. Cannot be undone.',
  },
};

export const configurationVersionRoutes = (use: UseCases, dialect: Dialect, runs: Neighbour<ShownRun>): Route[] => {
  const readNew = newConfigurationVersion(dialect);
  const version = () => configurationVersionSchema(dialect);
  const presentCommit = presentIngressAttributes(dialect);
  const included = () => [ingressAttributesSchema(dialect), runs.schema()] as const;
  return [
    get(
      '/workspaces/:workspaceId/configuration-versions',
      'configuration-versions/read',
      lists('listConfigurationVersions', 'List configuration versions of a workspace', version, {
        about: 'Newest first.',
        parameters: configurationVersionParameters,
        included,
      }),
      async (call) => {
        const { include } = valuesOf(configurationVersionParameters, call.query);
        const page = pageRequest(call.query);
        const query = { workspaceId: parameter(call, 'workspaceId'), page, include };
        const {
          ingressAttributes,
          runs: newest,
          ...found
        } = await use.listConfigurationVersions.execute(call.actor, query);
        const runIdOf = (id: string) => newest.get(id)?.run.id ?? null;
        const present = presentConfigurationVersion(dialect, include, { runIdOf });
        const included = found.items.flatMap(({ id }) => {
          const attributes = ingressAttributes.get(id);
          const run = newest.get(id);
          return [
            ...(attributes === undefined ? [] : [presentCommit(id, attributes)]),
            ...(run === undefined ? [] : [runs.present(run)]),
          ];
        });
        return ok(withIncluded(pageDocument(call.path, call.query, found, present), included));
      },
    ),
    post(
      '/workspaces/:workspaceId/configuration-versions',
      'configuration-versions/create',
      creates(
        'createConfigurationVersion',
        'Create a configuration version',
        readNew,
        () => createdConfigurationVersionSchema(dialect),
        {
          about:
            'Only this response contains `upload-url`, the URL to upload the configuration files to. Organization tokens cannot create configuration versions.',
          refusals: ['organization/over-quota'],
        },
      ),
      async (call) => {
        const { version: made, uploadUrl } = await use.createConfigurationVersion.execute(call.actor, readNew(call));
        return created({ data: presentConfigurationVersion(dialect, new Set(), { uploadUrl })(made) });
      },
    ),
    get(
      '/configuration-versions/:id',
      'configuration-versions/read',
      shows('showConfigurationVersion', 'Show a configuration version', version, {
        parameters: configurationVersionParameters,
        included,
      }),
      async (call) => {
        const { include } = valuesOf(configurationVersionParameters, call.query);
        const query = { id: parameter(call, 'id'), include };
        const { version, ingressAttributes, run } = await use.showConfigurationVersion.execute(call.actor, query);
        const data = presentConfigurationVersion(dialect, include, { runIdOf: () => run?.run.id ?? null })(version);
        return ok(
          withIncluded({ data }, [
            ...(ingressAttributes === null ? [] : [presentCommit(version.id, ingressAttributes)]),
            ...(run === null ? [] : [runs.present(run)]),
          ]),
        );
      },
    ),
    get(
      '/configuration-versions/:id/ingress-attributes',
      'configuration-versions/read',
      shows(
        'showIngressAttributes',
        'Show ingress attributes of a configuration version',
        () => ingressAttributesSchema(dialect),
        {
          about:
            'The commit that the version was created from. Returns 404 for a version that does not come from version control.',
        },
      ),
      async (call) => {
        const id = parameter(call, 'id');
        return ok({ data: presentCommit(id, await use.showIngressAttributes.execute(call.actor, id)) });
      },
    ),
    get(
      '/configuration-versions/:id/download',
      'configuration-versions/read',
      locates(
        'downloadConfigurationVersion',
        "Download a configuration version's archive",
        'Returns 404 unless the version is `uploaded`.',
      ),
      answerLocated((call) => use.locateBundle.execute(call.actor, { id: parameter(call, 'id') })),
    ),
    act(
      '/configuration-versions/:id/actions/archive',
      'configuration-versions/archive',
      () => ({
        operation: 'archiveConfigurationVersion',
        summary: 'Archive a configuration version',
        about:
          'Discards the archive; the version itself stays. Only an `uploaded` version created through API or CLI can be archived, and only if it is not the current one and no run in progress uses it. Cannot be undone.',
        answers: { 202: null },
        refusals: ['configuration-version/not-archivable'],
      }),
      answerEmpty((call) => use.archiveConfigurationVersion.execute(call.actor, parameter(call, 'id')), accepted),
    ),
    ...dialect.backingDataActions.map(({ word, change }) =>
      act(
        `/configuration-versions/:id/actions/${word}`,
        'configuration-versions/manage-backing-data',
        () => ({
          ...backingDataInWords[change],
          answers: { 200: null },
          refusals: ['configuration-version/backing-data-unchanged'],
        }),
        answerEmpty((call) => use.changeBackingData.execute(call.actor, parameter(call, 'id'), change), done),
      ),
    ),
  ];
};
