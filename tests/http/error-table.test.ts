import { describe, expect, it } from '@jest/globals';
import { errorTable, problemOf } from '../../src/adapters/http/routing/error-table.js';
import { DomainError, type DomainErrorCode } from '../../src/domain/index.js';
import type { AtFault } from '../../src/domain/shared/domain-error.js';

/** The status and title clients are promised, written out by hand and not read from the table. */
const promised: Readonly<Record<DomainErrorCode, readonly [status: number, title: string]>> = {
  'actor/unauthenticated': [401, 'unauthorized'],
  'resource/not-found': [404, 'not found'],
  'shared/stale-revision': [409, 'conflict'],
  'attribute/invalid': [422, 'invalid attribute'],
  'attribute/taken': [422, 'invalid attribute'],
  'configuration-version/upload-refused': [409, 'transition not allowed'],
  'configuration-version/fetch-refused': [409, 'transition not allowed'],
  'configuration-version/not-archivable': [409, 'transition not allowed'],
  'configuration-version/backing-data-unchanged': [400, 'transition not allowed'],
  'policy-set-version/upload-refused': [409, 'transition not allowed'],
  'bundle/malformed': [422, 'invalid archive'],
  'bundle/over-limit': [413, 'payload too large'],
  'bundle/interrupted': [408, 'request timeout'],
  'organization/over-quota': [413, 'payload too large'],
  'team-access/permissions-are-custom-only': [422, 'invalid attribute'],
  'owners-team/protected': [409, 'conflict'],
  'user/protected': [409, 'conflict'],
  'user-tokens/limit-reached': [422, 'limit reached'],
  'sign-in/not-configured': [404, 'not found'],
  'sign-in/not-begun': [400, 'bad request'],
  'sign-in/refused': [403, 'forbidden'],
  'sign-in/too-old': [403, 'sign in again'],
  'sign-in/provider-unavailable': [503, 'service unavailable'],
  'runs/in-progress': [409, 'conflict'],
  'workspace/not-safe-to-delete': [409, 'conflict'],
  'run/transition-refused': [409, 'transition not allowed'],
  'run/not-blocked': [403, 'transition not allowed'],
  'task-stage/transition-refused': [409, 'transition not allowed'],
  'policy-trial/transition-refused': [409, 'transition not allowed'],
  'policy-trial/busy': [429, 'Too many requests'],
  'lease/lost': [409, 'lease lost'],
  'agent-report/invalid': [422, 'invalid attribute'],
  'agent-pool/in-use': [409, 'conflict'],
  'project/not-removable': [409, 'conflict'],
  'repository/fetch-failed': [422, 'invalid attribute'],
  'notification/unverified': [400, 'bad request'],
  'notification/busy': [429, 'Too many requests'],
  'workspace/lock-refused': [409, 'conflict'],
  'state-version/conflict': [409, 'conflict'],
  'policy-outcomes/uncounted': [503, 'service unavailable'],
  'state-version/outputs-unread': [503, 'service unavailable'],
  'state-version/outputs-errored': [422, 'unprocessable entity'],
  'changes/too-many-followers': [429, 'Too many requests'],
  'changes/no-room': [503, 'service unavailable'],
  'snapshots/busy': [429, 'Too many requests'],
  'service/unavailable': [503, 'service unavailable'],
  'service/storage-full': [507, 'insufficient storage'],
};

describe('a refusal of the domain', () => {
  it('says how to go on where a client can', () => {
    const headersOf = (code: DomainErrorCode) => problemOf(new DomainError(code, 'a sentence'))?.headers;
    expect(headersOf('actor/unauthenticated')).toEqual({ 'WWW-Authenticate': 'Bearer' });
    expect(headersOf('service/unavailable')).toEqual({ 'Retry-After': '2' });
    expect(headersOf('resource/not-found')).toEqual({});
  });

  it.each([
    [{ attribute: 'vcsRepo/cloneUrl' }, { pointer: '/data/attributes/vcs-repo/clone-url' }],
    [{ relationship: 'defaultAgentPool' }, { pointer: '/data/relationships/default-agent-pool' }],
    [{ member: 'policySets/0/policySetId' }, { pointer: '/policy-sets/0/policy-set-id' }],
    [{ parameter: 'offset' }, { parameter: 'offset' }],
  ] satisfies [AtFault, object][])('at %j points there in words of the wire', (details, source) => {
    const problem = problemOf(new DomainError('attribute/invalid', 'a sentence', details));
    expect(problem?.document.errors[0]?.source).toEqual(source);
  });

  it('is promised an answer for each code', () => {
    expect(Object.keys(errorTable).sort()).toEqual(Object.keys(promised).sort());
  });

  it.each(Object.entries(promised))('%s is answered as promised', (code, [status, title]) => {
    const problem = problemOf(new DomainError(code as DomainErrorCode, 'a sentence'));
    expect(problem?.status).toBe(status);
    expect(problem?.document).toEqual({ errors: [{ status: String(status), title, detail: 'a sentence' }] });
  });

  it('is logged as a fault of the service where its status is 5xx, but for what passes without an operator', () => {
    const codes = (Object.keys(promised) as DomainErrorCode[]).filter((code) => promised[code][0] >= 500);
    const faults = codes.map((code) => [code, problemOf(new DomainError(code, 'a sentence'))?.isFault] as const);
    expect(faults.filter(([, isFault]) => isFault !== true).sort()).toEqual([
      ['changes/no-room', false],
      ['policy-outcomes/uncounted', false],
      ['state-version/outputs-unread', false],
    ]);
  });
});
