import { statusTraits } from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { pageDocument, pageRequest } from '../json-api/pagination.js';
import { act, created, get, ok, parameter, post, type Route } from '../route.js';
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
      const { ingressAttributes, ...found } = await use.listConfigurationVersions.execute(call.actor, query);
      const document = pageDocument(call.path, call.query, found, presentConfigurationVersion(dialect, include));
      const readable = found.items.filter((version) => statusTraits[version.status].readable);
      const included = readable
        .map((version) => ingressAttributes.get(version.id))
        .filter((attributes) => attributes !== undefined)
        .map(presentIngressAttributes);
      return ok(included.length === 0 ? document : { ...document, included });
    }),
    post('/workspaces/:workspaceId/configuration-versions', 'configuration-versions/create', async (call) => {
      const { version, uploadUrl } = await use.createConfigurationVersion.execute(call.actor, readNew(call));
      return created({ data: presentConfigurationVersion(dialect, new Set(), uploadUrl)(version) });
    }),
    get('/configuration-versions/:id', 'configuration-versions/read', async (call) => {
      const include = call.query.include(includes);
      const query = { id: parameter(call, 'id'), include };
      const { version, ingressAttributes } = await use.showConfigurationVersion.execute(call.actor, query);
      const data = presentConfigurationVersion(dialect, include)(version);
      return ok(
        ingressAttributes === null ? { data } : { data, included: [presentIngressAttributes(ingressAttributes)] },
      );
    }),
    get('/configuration-versions/:id/ingress-attributes', 'configuration-versions/read', async (call) => {
      const attributes = await use.showIngressAttributes.execute(call.actor, parameter(call, 'id'));
      return ok({ data: presentIngressAttributes(attributes) });
    }),
    get('/configuration-versions/:id/download', 'configuration-versions/read', async (call) => {
      const location = await use.locateBundle.execute(call.actor, parameter(call, 'id'));
      return { status: 302, headers: { Location: location } };
    }),
    act('/configuration-versions/:id/actions/archive', 'configuration-versions/archive', async (call) => {
      await use.archiveConfigurationVersion.execute(call.actor, parameter(call, 'id'));
      return { status: 202 };
    }),
  ];
};
