import { DomainError, idPrefixes, isDomainError, notFound } from '../../../domain/index.js';
import { type IdKind, isIdOf } from '../../../domain/shared/id-prefixes.js';

interface Collection {
  readonly kind: IdKind;
  readonly noun: string;
  /** The request that finds one of them by its name. */
  readonly byName: string;
}

const inOrganization = '/organizations/:organization_name';

/** The collections whose resources have ids in paths and bodies, and names that people send in their place. */
const collections: Readonly<Record<string, Collection>> = {
  workspaces: { kind: 'workspace', noun: 'a workspace', byName: `${inOrganization}/workspaces/:name` },
  projects: { kind: 'project', noun: 'a project', byName: `${inOrganization}/projects?filter[names]=` },
  teams: { kind: 'team', noun: 'a team', byName: `${inOrganization}/teams?filter[names]=` },
  'policy-sets': { kind: 'policy-set', noun: 'a policy set', byName: `${inOrganization}/policy-sets?search[name]=` },
  policies: { kind: 'policy', noun: 'a policy', byName: `${inOrganization}/policies?search[name]=` },
  'agent-pools': { kind: 'agent-pool', noun: 'an agent pool', byName: `${inOrganization}/agent-pools?q=` },
  varsets: { kind: 'variable-set', noun: 'a variable set', byName: `${inOrganization}/varsets` },
  tasks: { kind: 'run-task', noun: 'a run task', byName: `${inOrganization}/tasks` },
};

/** The sentence for a client that sent something else than an id; undefined for an id, and for resources without names. */
export function notAnId(collection: string, given: string): string | undefined {
  const found = Object.hasOwn(collections, collection) ? collections[collection] : undefined;
  if (found === undefined || given === '' || isIdOf(found.kind, given)) return undefined;
  const { kind, noun, byName } = found;
  return `this is not the id of ${noun}, which begins with ${idPrefixes[kind]}-; to find it by name, use GET ${byName}`;
}

/**
 * The error for a path that has a name in place of an id, where `error` says that nothing was found; otherwise `error`.
 * It depends on nothing but the path, so it reveals nothing. `path` is the route's.
 */
export function explained(path: string, parameters: Readonly<Record<string, string>>, error: unknown): unknown {
  if (!isDomainError(error) || error.message !== notFound().message) return error;
  const [, collection = '', first = ''] = path.split('/');
  const sentence = notAnId(collection, parameters[first.slice(1)] ?? '');
  return sentence === undefined ? error : new DomainError(error.code, sentence, error.details);
}
