import { beforeEach, describe, expect, it } from '@jest/globals';
import type { BegunSignIn, SignedIn } from '../../src/application/index.js';
import type { ProvenIdentity } from '../../src/domain/index.js';
import { isReturnPath, usernamesFor } from '../../src/domain/index.js';
import { sessionHours, unauthenticated, World } from '../support/application.js';

const request = { id: 'request-1', address: null, route: 'GET /session/callback' };

describe('signing in', () => {
  let world: World;

  beforeEach(async () => {
    world = await World.create({ createsUsersAtSignIn: true });
  });

  /** Begins a sign-in and comes back from the provider. */
  async function signIn(person: Partial<ProvenIdentity> = {}, secret?: string): Promise<SignedIn> {
    const signedIn = await comeBack(await world.useCases.beginSignIn.execute('/app'), person, secret);
    if ('url' in signedIn) throw new Error('the sign-in goes on');
    return signedIn;
  }

  function comeBack({ url, sealed }: BegunSignIn, person: Partial<ProvenIdentity>, secret?: string) {
    world.provider.person = person;
    const query = new URL(url).search.slice(1);
    return world.useCases.completeSignIn.execute({ query, sealed, secret, request });
  }

  const userOf = (secret: string) => world.useCases.authenticateSession.show(secret);

  it('stores nothing before the person comes back', async () => {
    await world.keepsEverything(() => world.useCases.beginSignIn.execute('/app'));
  });

  it('creates a user once, who is the same from then on', async () => {
    const first = await signIn();
    const second = await signIn();
    expect((await userOf(second.secret))?.user).toEqual((await userOf(first.secret))?.user);
    expect((await userOf(first.secret))?.user).toMatchObject({ username: 'ada', siteAdministrator: false });
    expect(first.session.id).not.toBe(second.session.id);
  });

  it('ends the session that the browser had', async () => {
    const first = await signIn();
    await signIn({ subject: 'bob', email: 'bob@example.com', username: 'bob' }, first.secret);
    await expect(world.useCases.authenticateSession.execute(first.secret)).rejects.toMatchObject(unauthenticated);
  });

  it('removes the sessions of the user that have expired', async () => {
    const { session } = await signIn();
    world.clock.advance(sessionHours * 3_600);
    expect(world.remembers(session.id)).toBe(true);
    await signIn();
    expect(world.remembers(session.id)).toBe(false);
  });

  it('changes nothing when it is refused', async () => {
    world.provider.person = null;
    const { url, sealed } = await world.useCases.beginSignIn.execute('/app');
    const callback = { query: new URL(url).search.slice(1), sealed, secret: undefined, request };
    await world.refuses(() => world.useCases.completeSignIn.execute(callback), { code: 'sign-in/refused' });
    await world.refuses(() => signIn({ emailVerified: false }), { code: 'sign-in/refused' });
    await world.refuses(() => signIn({ email: null }), { code: 'sign-in/refused' });
    await world.refuses(() => signIn({ email: world.member.email.toUpperCase() }), { code: 'sign-in/refused' });
    await world.refuses(() => signIn({ email: 'no address' }), { code: 'attribute/invalid' });
  });

  it('takes no text that was sealed for something else', async () => {
    for (const sealed of ['', 'v2.nothing', world.box.seal('{"state":"state-1"}'), world.box.seal('secret')]) {
      const callback = { query: 'state=state-1', sealed, secret: undefined, request };
      await world.refuses(() => world.useCases.completeSignIn.execute(callback), { code: 'sign-in/not-begun' });
    }
  });

  it('does not create users unless the operator wants it', async () => {
    world = await World.create();
    await world.refuses(() => signIn(), { code: 'sign-in/refused' });
    const identity = { userId: world.member.userId, issuer: 'https://provider.test', subject: 'ada' };
    await world.useCases.addIdentity.execute(world.administrator, identity);
    expect((await signIn({ emailVerified: false })).session.userId).toBe(world.member.userId);
  });
});

describe('the name of a new user', () => {
  const firstOf = (proven: Partial<ProvenIdentity>) => {
    const nothing = { email: null, username: null, authTime: null, groups: null };
    const whole = { issuer: '', subject: 'subject', emailVerified: true, ...nothing, ...proven };
    return usernamesFor(whole).next().value;
  };

  it('is made of what the provider calls the person', () => {
    expect(firstOf({ username: 'ada' })).toBe('ada');
    expect(firstOf({ username: 'Ada Lovelace <1>' })).toBe('Ada-Lovelace-1');
    expect(firstOf({ username: 'ada@corp.example' })).toBe('ada');
    expect(firstOf({ email: 'ada.l@example.com' })).toBe('ada.l');
    expect(firstOf({})).toBe('subject');
    expect(firstOf({ username: '愛' })).toBe('user');
    expect(firstOf({ username: 'x'.repeat(200) })).toHaveLength(60);
  });
});

describe('the page to return to', () => {
  it.each(['/app', '/app/', '/app/acme/network/runs/run-1', '/app/settings/tokens?tab=1&q=a%20b', '/app/a.b/_c~d'])(
    'may be %s',
    (path) => expect(isReturnPath(path)).toBe(true),
  );

  it.each([
    '',
    '/',
    'app',
    '/application',
    '/app//evil.example',
    '/app/../session',
    '/app/./x',
    '/app/%2e%2e/x',
    '/app\\evil',
    '/app\n',
    '/app/x\u0000',
    '//app',
    'https://evil.example/app',
    `/app/${'x'.repeat(2_000)}`,
  ])('may not be %j', (path) => expect(isReturnPath(path)).toBe(false));
});

describe('groups at the provider', () => {
  let world: World;

  beforeEach(async () => {
    world = await World.create();
    const identity = { userId: world.stranger.userId, issuer: 'https://provider.test', subject: 'ada' };
    await world.useCases.addIdentity.execute(world.administrator, identity);
  });

  async function signIn(...groups: readonly string[]): Promise<void> {
    const { url, sealed } = await world.useCases.beginSignIn.execute('/app');
    world.provider.person = { groups };
    const query = new URL(url).search.slice(1);
    await world.useCases.completeSignIn.execute({ query, sealed, secret: undefined, request });
  }

  const map = (teamId: string, group: string | null) =>
    world.useCases.updateTeam.execute(world.owner, teamId, { ssoTeamId: group });

  /** The names of the teams of acme that the person is in; undefined if they are not a member of acme. */
  async function teams(): Promise<readonly string[] | undefined> {
    const { organizationId } = world.owners;
    const [membership] = await world.unitOfWork.read((tx) =>
      tx.memberships.ofUsers(organizationId, [world.stranger.userId]),
    );
    return membership?.teams.map(({ name }) => name);
  }

  it('move the person from team to team, and out of the organization', async () => {
    await map((await world.newTeam('blue')).id, 'b');
    await map((await world.newTeam('red')).id, 'r');
    await signIn('b');
    expect(await teams()).toEqual(['blue']);
    await signIn('b', 'r');
    expect(await teams()).toEqual(['blue', 'red']);
    await signIn('r');
    expect(await teams()).toEqual(['red']);
    await signIn();
    expect(await teams()).toBeUndefined();
  });

  it('leave alone what was made by hand', async () => {
    const [blue, red] = [await world.newTeam('blue'), await world.newTeam('red')];
    for (const team of [blue, red]) await map(team.id, team.name);
    const { userId, email } = world.stranger;
    const command = { organizationName: 'acme', email, teamIds: [blue.id] };
    await world.useCases.addOrganizationMembership.execute(world.owner, command);
    await signIn('blue', 'red');
    await signIn();
    expect(await teams()).toEqual(['blue']);
    await signIn('red');
    await world.useCases.changeTeamMembers.execute(world.owner, red.id, 'add', [userId]);
    await signIn();
    expect(await teams()).toEqual(['blue', 'red']);
  });

  it('stay without effect where no owner mapped them', async () => {
    const blue = await world.newTeam('blue');
    await map(blue.id, 'b');
    await map(blue.id, null);
    await signIn('b', 'owners', 'acme', '');
    expect(await teams()).toBeUndefined();
  });

  it('of the owners team give its rights, and leave it its last active owner', async () => {
    await map(world.owners.id, 'bosses');
    await signIn('bosses');
    expect(await teams()).toEqual(['owners']);
    await world.useCases.changeTeamMembers.execute(world.stranger, world.owners.id, 'remove', [world.owner.userId]);
    await signIn();
    expect(await teams()).toEqual(['owners']);
    await world.useCases.changeTeamMembers.execute(world.stranger, world.owners.id, 'add', [world.owner.userId]);
    await signIn();
    expect(await teams()).toBeUndefined();
  });

  it('are not looked at without the claim', async () => {
    await map((await world.newTeam('blue')).id, 'b');
    await signIn('b');
    const { url, sealed } = await world.useCases.beginSignIn.execute('/app');
    world.provider.person = { groups: null };
    const query = new URL(url).search.slice(1);
    await world.useCases.completeSignIn.execute({ query, sealed, secret: undefined, request });
    expect(await teams()).toEqual(['blue']);
  });
});
