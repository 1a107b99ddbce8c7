import { expect, it } from '@jest/globals';
import { cases, excluded } from '../../lab/bench/growth-cases.js';
import { keyOf, routesAt } from '../support/walk-routes.js';

it('every endpoint that reads or creates has a case of growth, or a reason why not', () => {
  const known = routesAt('/api/v2')
    .filter(({ method, path }) => method === 'get' || (method === 'post' && !path.includes('/actions/')))
    .map(keyOf);
  const measured = new Set(cases.map(({ route }) => route));
  expect([...measured, ...Object.values(excluded).flat()].sort()).toEqual(known.sort());
});
