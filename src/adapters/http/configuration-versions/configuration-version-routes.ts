import { statusTraits } from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { withIncluded } from '../json-api/document.js';
import { pageDocument, pageRequest } from '../json-api/pagination.js';
import { accepted, act, created, get, ok, parameter, post, type Route } from '../route.js';
import { presentRun } from '../runs/run-resource.js';
import type { UseCases } from '../use-cases.js';
import { includes, newConfigurationVersion } from './configuration-version-requests.js';
import { presentConfigurationVersion, presentIngressAttributes } from './configuration-version-resource.js';

export const configurationVersionRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newConfigurationVersion(dialect);
  return [
    get('/workspaces/:workspaceId/configuration-versions', 'configuration-versions/read', async (call) => {
      const include = call.query.include(includes);
      const page = pageRequest(call.query);
      const query = { workspaceId: parameter(call, 'workspaceId'), page, include };
      const { ingressAttributes, runs, ...found } = await use.listConfigurationVersions.execute(call.actor, query);
      const runIdOf = (id: string) => runs.get(id)?.run.id ?? null;
      const present = presentConfigurationVersion(dialect, include, { runIdOf });
      const readable = found.items.filter((version) => statusTraits[version.status].readable);
      const included = readable.flatMap(({ id }) => {
        const attributes = ingressAttributes.get(id);
        const run = runs.get(id);
        return [
          ...(attributes === undefined ? [] : [presentIngressAttributes(attributes)]),
          ...(run === undefined ? [] : [presentRun(dialect)(run)]),
        ];
      });
      return ok(withIncluded(pageDocument(call.path, call.query, found, present), included));
    }),
    post('/workspaces/:workspaceId/configuration-versions', 'configuration-versions/create', async (call) => {
      const { version, uploadUrl } = await use.createConfigurationVersion.execute(call.actor, readNew(call));
      return created({ data: presentConfigurationVersion(dialect, new Set(), { uploadUrl })(version) });
    }),
    get('/configuration-versions/:id', 'configuration-versions/read', async (call) => {
      const include = call.query.include(includes);
      const query = { id: parameter(call, 'id'), include };
      const { version, ingressAttributes, run } = await use.showConfigurationVersion.execute(call.actor, query);
      const data = presentConfigurationVersion(dialect, include, { runIdOf: () => run?.run.id ?? null })(version);
      return ok(
        withIncluded({ data }, [
          ...(ingressAttributes === null ? [] : [presentIngressAttributes(ingressAttributes)]),
          ...(run === null ? [] : [presentRun(dialect)(run)]),
        ]),
      );
    }),
    get('/configuration-versions/:id/ingress-attributes', 'configuration-versions/read', async (call) => {
      const attributes = await use.showIngressAttributes.execute(call.actor, parameter(call, 'id'));
      return ok({ data: presentIngressAttributes(attributes) });
    }),
    get('/configuration-versions/:id/download', 'configuration-versions/read', async (call) => {
      const location = await use.locateBundle.execute(call.actor, { id: parameter(call, 'id') });
      return { status: 302, headers: { Location: location } };
    }),
    act('/configuration-versions/:id/actions/archive', 'configuration-versions/archive', async (call) => {
      await use.archiveConfigurationVersion.execute(call.actor, parameter(call, 'id'));
      return accepted;
    }),
    ...dialect.backingDataActions.map(({ word, change }) =>
      act(`/configuration-versions/:id/actions/${word}`, 'configuration-versions/manage-backing-data', async (call) => {
        await use.changeBackingData.execute(call.actor, parameter(call, 'id'), change);
        return { status: 200 };
      }),
    ),
  ];
};
