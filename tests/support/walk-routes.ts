import { routes } from '../../src/adapters/http/openapi/routes.js';
import { dialects } from '../../src/adapters/http/routing/dialect.js';
import type { Route } from '../../src/adapters/http/routing/route.js';
import type { Prefix } from './api.js';

const byPrefix = new Map(dialects.map((dialect) => [dialect.prefix, routes({} as never, dialect)]));

/** The routes of one dialect, to look at and not to serve. */
export const routesAt = (prefix: Prefix): readonly Route[] => byPrefix.get(prefix) ?? [];

export const everyRoute = (['', '/api/v2'] as const).flatMap((prefix) =>
  routesAt(prefix).map((route) => ({ name: `${route.method} ${prefix}${route.path}`, prefix, route })),
);

/** Each route at one mount: clients have all of them. */
export const routesOnce = everyRoute.filter(({ prefix }) => prefix === '/api/v2');

const ofEveryUser: readonly string[] = ['/account/sessions', '/account/identities'];

/** Whether the route is about what every user has: none is a stranger there. */
export const isForEveryUser = ({ path }: Route): boolean => ofEveryUser.includes(path);

/** The route without its dialect. */
export const keyOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Things that do not exist, with ids of the same kinds. */
export const missingLike = (existing: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(existing).map(([key, value]) => [key, value.replace(/(?<=^[a-z]+-).*|^[^-]*$/, 'nonexisting')]),
  );

/** The route's path about real things. `:id` is looked up by what comes before it. */
export function pathAbout({ method, path }: Route, existing: Readonly<Record<string, string>>): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, parameter: string) => {
    const key = parameter === 'id' ? path.slice(0, path.indexOf('/:id')) : parameter;
    const value = existing[key];
    if (value === undefined) throw new Error(`the test knows no ${key}`);
    return value;
  });
  const query = method === 'get' ? queries[path]?.(existing) : undefined;
  return query === undefined ? filled : `${filled}?${query}`;
}

/** The filters that a list at a path of its own requires. */
const queries: Readonly<Record<string, (existing: Readonly<Record<string, string>>) => string>> = {
  '/workspaces/:workspaceId/run-triggers': () => 'filter[run-trigger][type]=inbound',
  '/team-workspaces': ({ workspaceId }) => `filter[workspace][id]=${workspaceId}`,
  '/workspaces/:id/effective-access': ({ userId, teamWithRightsId }) =>
    teamWithRightsId === undefined ? `filter[user][id]=${userId}` : `filter[team][id]=${teamWithRightsId}`,
  '/organizations/:organization/who-can': ({ workspaceId }) =>
    `filter[action]=runs/read${workspaceId === undefined ? '' : `&filter[workspace][id]=${workspaceId}`}`,
  '/team-projects': ({ projectId }) => `filter[project][id]=${projectId}`,
  '/state-versions': ({ organization, name }) =>
    `filter[organization][name]=${organization}&filter[workspace][name]=${name}`,
};
