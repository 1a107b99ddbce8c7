import { describe, expect, it } from '@jest/globals';
import { misspelledAttributes } from '../../src/adapters/http/routing/misspelled-attributes.js';
import { refuseOthers } from '../../src/adapters/http/routing/parameters.js';
import { Query } from '../../src/adapters/http/routing/query.js';
import { servedAmong, servedBefore, unexpectedAmong, unlistedAmong } from '../support/recorded-requests.js';
import { keyOf, routesOnce } from '../support/walk-routes.js';

/** A document with these attributes, those of nested objects after a slash. */
function documentWith(names: readonly string[]): object {
  const attributes: Record<string, unknown> = {};
  for (const name of names) {
    let within = attributes;
    for (const part of name.split('/')) {
      within[part] ??= {};
      within = within[part] as Record<string, unknown>;
    }
  }
  return { data: { attributes } };
}

const request = { sender: 'go-tfe', method: 'GET', query: [], attributes: [], faults: ['resource not found'] };
const unexpected = (path: string, given: object = {}) =>
  unexpectedAmong([{ ...request, path: `/api/v2${path}`, status: 404, ...given }]);

describe('the requests of real clients', () => {
  it('may be refused only as the table of refusals says', () => {
    expect(unexpected('/organizations/acme/workspaces/new')).toEqual([]);
    expect(unexpected('/run-triggers/nonexisting', { method: 'DELETE' })).toEqual([]);
    expect(unexpected('/workspaces/:id')).toEqual(['go-tfe GET /workspaces/:id 404: resource not found']);
    expect(unexpected('/organizations/acme/workspaces/new', { status: 400 })).toHaveLength(1);
    expect(unexpected('/workspaces/:id', { status: 200 })).toEqual([]);
    expect(unexpected('/workspaces/:id', { sender: 'node' })).toEqual([]);
  });

  it('are listed by operation with their parameters and attributes, if they were served', () => {
    const asked = (path: string, given: object) => ({ ...request, path: `/api/v2${path}`, status: 200, ...given });
    const served = [
      asked('/workspaces/:id', { query: ['include=outputs'] }),
      asked('/workspaces/:id', { query: ['page[size]'] }),
      asked('/organizations/acme/workspaces/new', { method: 'PATCH', attributes: ['name'] }),
      asked('/organizations/acme/workspaces', { status: 404 }),
      asked('/organizations/acme/workspaces', { sender: 'node' }),
      asked('/ping', {}),
    ];
    const list = {
      'get /workspaces/:id': ['?include=outputs', '?page[size]'],
      'patch /organizations/:organization/workspaces/:name': ['name'],
    };
    expect(servedAmong(served)).toEqual(list);
    expect(unlistedAmong(served, list)).toEqual([]);
    expect(unlistedAmong(served, { 'get /workspaces/:id': ['?page[size]'] })).toEqual([
      'get /workspaces/:id ?include=outputs',
      'patch /organizations/:organization/workspaces/:name name',
    ]);
  });

  it.each(Object.entries(servedBefore()))('are served as before: %s', (operation, names) => {
    const route = routesOnce.map((one) => one.route).find((one) => keyOf(one) === operation);
    if (route === undefined) throw new Error('no route serves it');
    const parameters = names.filter((name) => name.startsWith('?')).map((name) => name.slice(1).split('='));
    for (const [name = '', value = ''] of parameters) {
      const query = new Query(new URLSearchParams({ [name]: value }).toString());
      expect(() => refuseOthers(route.parameters, query)).not.toThrow();
      if (name === 'include') expect(route.parameters.include?.safeParse(value).success).toBe(true);
    }
    const attributes = names.filter((name) => !name.startsWith('?'));
    expect(misspelledAttributes(route, documentWith(attributes))).toEqual([]);
  });
});
