import { describe, expect, it } from '@jest/globals';
import { unexpectedAmong } from '../support/recorded-requests.js';

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
});
