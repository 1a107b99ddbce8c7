import { describe, expect, it } from '@jest/globals';
import { RandomIds } from '../../src/adapters/system/random-ids.js';
import { RandomSecrets } from '../../src/adapters/system/random-secrets.js';
import { SealedSecretBox } from '../../src/adapters/system/sealed-secret-box.js';
import { SystemClock } from '../../src/adapters/system/system-clock.js';
import { StoredSecrets } from '../../src/application/background/stored-secrets.js';
import { CreateUser, RetryingUnitOfWork, sealPrefix, TokenIssuer } from '../../src/application/index.js';
import { backends } from '../support/backends.js';
import { afterNoon, noon, unique } from '../support/builders.js';
import { type Ground, onEveryBackend, onFreshGround } from './on-every-backend.js';

onEveryBackend('request rates of instances', (on) => {
  const note = (instance: string, demand: Readonly<Record<string, number>>, at: string) =>
    on.run((tx) => tx.requestRates.note(instance, demand, at));
  const ofOthers = (instance: string, since = noon) => on.read((tx) => tx.requestRates.ofOthers(instance, since));

  it('are visible to the others, and replace the previous ones', async () => {
    await note('first', { busy: 12.5, 'address ::1': 4 }, noon);
    await note('second', { busy: 3 }, noon);
    expect(await ofOthers('second')).toEqual([{ busy: 12.5, 'address ::1': 4 }]);
    await note('first', { other: 1 }, afterNoon(1));
    expect(await ofOthers('second')).toEqual([{ other: 1 }]);
    expect(await ofOthers('third')).toHaveLength(2);
  });

  it('is worth nothing after its time, and then removed', async () => {
    await note('first', {}, afterNoon(1));
    await note('second', { busy: 1 }, afterNoon(2));
    expect(await ofOthers('third', afterNoon(2))).toEqual([{ busy: 1 }]);
    await on.run((tx) => tx.requestRates.forget(afterNoon(2)));
    expect(await ofOthers('third', noon)).toEqual([{ busy: 1 }]);
  });
});

onEveryBackend('fingerprints of signing keys', (on) => {
  const join = async (fingerprints: readonly string[], at: string) => {
    const fits = await on.read((tx) => tx.signingKeys.fits(fingerprints));
    const joined = await on.run((tx) => tx.signingKeys.join(fingerprints, at));
    expect(fits).toBe(joined);
    return joined;
  };

  it('are added to those they have one in common with, and known for as long as an instance notes them', async () => {
    expect(await join(['one', 'two'], noon)).toBe(true);
    expect(await join(['three'], noon)).toBe(false);
    expect(await join(['three', 'two'], afterNoon(1))).toBe(true);
    await on.run((tx) => tx.signingKeys.forget(afterNoon(1)));
    expect(await join(['one'], afterNoon(1))).toBe(false);
    expect(await join(['two'], afterNoon(1))).toBe(true);
    await on.run((tx) => tx.signingKeys.forget(afterNoon(2)));
    expect(await join(['one'], afterNoon(2))).toBe(true);
  });
});

onEveryBackend('keys of webhooks', (on) => {
  it('are found by how they are sealed, in living workspaces', async () => {
    const organization = await on.organization();
    const linked = async (sealedWebhookKey: string) => {
      const linkedBy = { kind: 'organization', id: organization.id } as const;
      const webhookId = unique('hook');
      const repository = { cloneUrl: 'https://example.com/a.git', branch: null, credential: null };
      return on.workspace(organization, { repository: { ...repository, sealedWebhookKey, webhookId, linkedBy } });
    };
    await on.workspace(organization);
    await linked(`${sealPrefix('aa')}x`);
    const others = [await linked(`${sealPrefix('ab')}x`), await linked('v1.x')].sort((a, b) => (a.id < b.id ? -1 : 1));
    const removed = await linked('v1.y');
    await on.run((tx) => tx.workspaces.remove(removed.id, noon));
    const found = (after: string, limit: number) =>
      on.read((tx) => tx.workspaces.sealedWithOtherKeys('aa', after, limit));
    expect(await found('', 10)).toEqual(others);
    expect(await found('', 1)).toEqual(others.slice(0, 1));
    expect(await found(others[0]?.id ?? '', 10)).toEqual(others.slice(1));
  });
});

for (const backend of backends) {
  (backend.skip ? describe.skip : describe)(`the first user, on ${backend.name}`, () => {
    it('is made by one of several instances that start at once; the others go on as later ones do', async () => {
      await onFreshGround(backend, async (on) => {
        const [clock, ids, secrets] = [new SystemClock(), new RandomIds('secret'), new RandomSecrets()];
        const first = () =>
          new CreateUser(new RetryingUnitOfWork(on), clock, ids, new TokenIssuer(clock, ids, secrets)).first(
            { username: 'admin', email: 'admin@localhost' },
            async () => secrets.generate(),
          );
        const made = await Promise.all([first(), first(), first(), first(), first()]);
        expect(made.filter((user) => user !== undefined)).toEqual([expect.objectContaining({ username: 'admin' })]);
        expect(await first()).toBeUndefined();
      });
    });
  });

  (backend.skip ? describe.skip : describe)(`signing secrets, on ${backend.name}`, () => {
    const joining = (on: Ground, ...secrets: readonly [string, ...string[]]) =>
      new StoredSecrets(new RetryingUnitOfWork(on), new SystemClock(), new SealedSecretBox(secrets)).join();

    it('of several instances that start at once with one of their own each: one decides', async () => {
      await onFreshGround(backend, async (on) => {
        const joined = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((secret) => joining(on, secret)));
        expect(joined.filter(Boolean)).toHaveLength(1);
      });
    });

    it('of several instances that start at once and share one: all are let in', async () => {
      await onFreshGround(backend, async (on) => {
        const joined = await Promise.all(['a', 'b', 'c', 'd'].map((secret) => joining(on, secret, 'shared')));
        expect(joined).toEqual([true, true, true, true]);
        for (const secret of ['a', 'b', 'c', 'd']) expect(await joining(on, secret)).toBe(true);
      });
    });
  });
}
