import { z } from 'zod';
import type { StateVersionQuery } from '../../../../application/index.js';
import { pageRequest } from '../../routing/pagination.js';
import { invalidParameter } from '../../routing/request-error.js';
import type { Call } from '../../routing/route.js';

const organizationFilter = 'filter[organization][name]';
const workspaceFilter = 'filter[workspace][name]';

export const stateVersionParameters = {
  [organizationFilter]: z.string().meta({ description: 'The organization of the workspace.' }),
  [workspaceFilter]: z.string().meta({ description: 'The name of the workspace.' }),
};

/** Throws a 422 without both names. */
export const stateVersionQuery = ({ query }: Call): StateVersionQuery => {
  const named = (filter: string): string => {
    const name = query.one(filter);
    if (!name) throw invalidParameter(filter, `${filter} is required`);
    return name;
  };
  return {
    organizationName: named(organizationFilter),
    workspaceName: named(workspaceFilter),
    page: pageRequest(query),
  };
};

/** Clients ask for more, with which nothing would be shown that is not there anyway. */
export const stateVersionIncludes = { outputs: ['outputs'] } as const;
