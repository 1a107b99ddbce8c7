import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Slice, TeamWorkspaceView, Transaction, UnitOfWork } from '../../src/application/index.js';
import type { Membership, Workspace } from '../../src/domain/index.js';
import { prefix, startApi, unhurried } from '../support/api.js';
import { anOrganization, aTeam, aWorkspace, giveGrant, noon } from '../support/builders.js';

const rows = 550;

type Found = Promise<Slice<TeamWorkspaceView>>;

/** Knows how many slices were read, and may answer another thing instead. */
class WatchedSlices implements UnitOfWork {
  count = 0;
  instead: (inner: () => Found) => Found = (inner) => inner();

  constructor(private readonly inner: UnitOfWork) {}

  run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.inner.run(work);
  }

  read<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.inner.read((tx) => {
      const { teamAccess } = tx;
      const slice: typeof teamAccess.slice = (...given) => {
        this.count += 1;
        return this.instead(() => teamAccess.slice(...given));
      };
      return work({ ...tx, teamAccess: Object.assign(Object.create(teamAccess), { slice }) });
    });
  }
}

const organization = anOrganization();
const [long, short] = [aWorkspace(organization), aWorkspace(organization)];

beforeEach(() => {
  watched.count = 0;
  watched.instead = (inner) => inner();
  for (const { log } of [served, impatient]) log.lines.length = 0;
});

const membershipOf = (userId: string): Membership => ({
  id: `ou-${userId}`,
  organizationId: organization.id,
  userId,
  createdAt: noon,
  invitedEmail: null,
  identityId: null,
});

const api = await startApi();
const watched = new WatchedSlices(api.unitOfWork);
const served = await startApi({ unitOfWork: watched });
/** Cuts off a client that does not read for a second. */
const impatient = await startApi({ unitOfWork: watched, timeouts: { ...unhurried, idle: 1_000 } });
impatient.server.timeout = 1_000;
const reader = await api.user('reader');
const leaving = await api.user('leaving');
await api.unitOfWork.run(async (tx) => {
  await tx.organizations.add(organization);
  for (const workspace of [long, short]) await tx.workspaces.add(workspace);
  for (const { id: userId } of [reader, leaving]) await tx.memberships.add(membershipOf(userId));
  for (let index = 0; index < rows; index += 1) {
    const team = aTeam(organization, { name: `Team-${(index * 7919) % 10_007}`, visibility: 'organization' });
    await tx.teams.add(team);
    await giveGrant(tx, team.id, long.id, { access: index % 2 === 0 ? 'read' : 'plan' });
    if (index < 100) await giveGrant(tx, team.id, short.id, { access: 'read' });
    if (index === 0) await tx.teams.addMembers(team, [reader.id, leaving.id]);
  }
});

const list = ({ id }: Workspace, more = '') => `/team-workspaces?filter[workspace][id]=${id}${more}`;

/** Answers without end: more than what lies between two sockets can hold. */
const endlessly = async (inner: () => Found): Found => {
  const slice = await inner();
  return { ...slice, last: { name: '', tie: '' } };
};

const errors = ({ log } = served) => log.lines.filter(({ level }) => level === 'error');

const requestLines = async (count: number, { log } = served): Promise<readonly Record<string, unknown>[]> => {
  for (;;) {
    const lines = log.lines.filter(({ message }) => message === 'request');
    if (lines.length >= count) return lines.map(({ fields }) => fields as Record<string, unknown>);
    await pause(5);
  }
};

const requestLine = async (service = served): Promise<unknown> => (await requestLines(1, service))[0];

/** No more are read, in many turns in which some might be. */
const isNotReadOn = async (): Promise<void> => {
  const read = watched.count;
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
  expect(watched.count).toBeLessThanOrEqual(read + 1);
};

const asked = async (protocol: string, { server } = served): Promise<Socket> => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const bearer = `Authorization: Bearer ${reader.secret}`;
  socket.write(`GET ${encodeURI(list(long))} ${protocol}\r\nHost: gatehouse.test\r\n${bearer}\r\n\r\n`);
  return socket;
};

describe('a long list without pages', () => {
  const caller = served.as(reader.secret).at(prefix);

  it('is the same to the byte as one document, and read slice by slice', async () => {
    const data: unknown[] = [];
    for (let number = 1; number <= Math.ceil(rows / 100); number += 1) {
      const page = await caller.get(list(long, `&page[size]=100&page[number]=${number}`)).expect(200);
      data.push(...page.body.data);
    }
    expect(data).toHaveLength(rows);
    watched.count = 0;
    const whole = await caller.get(list(long)).buffer(true).expect(200);
    expect(whole.text).toBe(JSON.stringify({ data }));
    expect(watched.count).toBe(3);
    expect(whole.headers).toMatchObject({
      'content-type': 'application/vnd.api+json',
      'transfer-encoding': 'chunked',
      'cache-control': 'no-store',
    });
    expect(whole.headers).not.toHaveProperty('content-length');
  });

  it('has its length before it when it is one slice', async () => {
    const answer = await caller.get(list(short)).buffer(true).expect(200);
    expect(answer.body.data).toHaveLength(100);
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)));
    expect(watched.count).toBe(1);
  });

  it('with HEAD is read no further than its begin', async () => {
    const answer = await caller.send('head', list(long)).expect(200);
    expect(answer.headers['content-type']).toBe('application/vnd.api+json');
    expect(answer.text ?? '').toBe('');
    expect(watched.count).toBe(1);
  });

  it('is cut off by a fault in its middle, which is logged once', async () => {
    watched.instead = (inner) => (watched.count < 3 ? inner() : Promise.reject(new Error('the disk is gone')));
    await expect(caller.get(list(long))).rejects.toThrow('aborted');
    expect(errors()).toMatchObject([
      {
        message: 'request failed',
        fields: { route: `${prefix}/team-workspaces`, err: { message: 'the disk is gone' } },
      },
    ]);
    watched.instead = (inner) => inner();
    await caller.get(list(long)).expect(200);
  });
});

describe('a long list without pages', () => {
  it('is answered as it always was when its begin cannot be read', async () => {
    watched.instead = () => Promise.reject(new Error('the disk is gone'));
    await served.as(reader.secret).get(list(long)).expect(500);
    expect(errors()).toHaveLength(1);
  });

  it('is cut off once its reader may not see the workspace any more', async () => {
    const caller = served.as(leaving.secret);
    await caller.get(list(long)).expect(200);
    watched.count = 0;
    watched.instead = async (inner) => {
      const slice = await inner();
      if (watched.count === 2) await api.unitOfWork.run((tx) => tx.memberships.remove(membershipOf(leaving.id)));
      return slice;
    };
    await expect(caller.get(list(long))).rejects.toThrow('aborted');
    expect(watched.count).toBe(2);
    expect(errors()).toEqual([]);
    expect((await requestLines(2)).map(({ status }) => status)).toEqual([200, 404]);
    await caller.get(list(long)).expect(404);
  });

  it('ends with its connection for clients that know no chunks', async () => {
    const socket = await asked('HTTP/1.0');
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    await once(socket, 'close');
    const [head = '', text = ''] = heard.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(head).not.toMatch(/transfer-encoding|content-length/i);
    expect(JSON.parse(text).data).toHaveLength(rows);
    expect(await requestLine()).toMatchObject({ status: 200, route: '/team-workspaces' });
  });

  it('is not read on when its client has left', async () => {
    watched.instead = endlessly;
    const socket = await asked('HTTP/1.1');
    await once(socket, 'data');
    socket.destroy();
    expect(await requestLine()).toMatchObject({ status: 499 });
    await isNotReadOn();
    expect(errors()).toEqual([]);
  });

  it('is read no faster than its client reads, and cut off when the client stops', async () => {
    const full: boolean[] = [];
    const reached = once(impatient.server, 'request') as Promise<[unknown, ServerResponse]>;
    watched.instead = async (inner) => {
      const [, answer] = await reached;
      full.push(answer.writableNeedDrain);
      return endlessly(inner);
    };
    const socket = await asked('HTTP/1.1', impatient);
    await once(socket, 'data');
    socket.pause();
    expect(await requestLine(impatient)).toMatchObject({ status: 499 });
    expect(full.length).toBeGreaterThan(1);
    expect(full).not.toContain(true);
    await isNotReadOn();
    expect(errors(impatient)).toEqual([]);
    socket.destroy();
  });
});
