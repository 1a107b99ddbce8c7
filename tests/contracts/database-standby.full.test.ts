import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type KnexDatabase, openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import { aUser } from '../support/builders.js';
import { PostgresPair, whyNoPair } from '../support/postgres-pair.js';
import { until } from '../support/service-steps.js';
import { refusal } from './on-every-backend.js';

const suite = whyNoPair === undefined ? describe : describe.skip;
const reason = whyNoPair === undefined ? '' : ` (skipped: ${whyNoPair})`;

suite(`a Postgres with a synchronous standby${reason}`, () => {
  let pair: PostgresPair;
  let database: KnexDatabase;

  const addUser = async (): Promise<string> => {
    const user = aUser();
    await database.unitOfWork.run((tx) => tx.users.add(user));
    return user.id;
  };
  const find = (id: string) => database.unitOfWork.read((tx) => tx.users.find(id));

  beforeEach(async () => {
    pair = await PostgresPair.start();
    database = openPostgres(pair.url, { poolSize: 2, silence: 3_000 });
    await database.migrate();
  });

  afterEach(async () => {
    await database.close();
    await pair.stop();
  });

  it('keeps what it acknowledged through a failover, and acknowledges nothing that its standby did not confirm', async () => {
    const kept = await addUser();
    await pair.failOver();
    await until('the new primary takes changes', () => addUser().catch(() => undefined));
    expect(await find(kept)).toBeDefined();
    await pair.replaceStandby();
    await addUser();
    await pair.killStandby();
    await expect(addUser()).rejects.toEqual(refusal('service/unavailable', { cause: expect.anything() }));
  });
});
