import { type Bound, bind } from '../../src/application/assembly.js';
import type { Clock } from '../../src/application/ports/outside/clock.js';
import type { Settings } from '../../src/application/ports/outside/settings.js';
import type { UnitOfWork } from '../../src/application/ports/repositories/unit-of-work.js';
import { ListTeams } from '../../src/application/supporting/teams/list-teams.js';
import { Authenticate } from '../../src/application/supporting/users/authenticate.js';
import { TokenUses } from '../../src/application/supporting/users/token-uses.js';
import { TokenIssuer } from '../../src/application/tokens/token-issuer.js';
import type { UseCases } from '../../src/application/use-cases.js';

// Never run: `npm run typecheck` fails where a line below an `@ts-expect-error` compiles.

const tokenUses = bind(TokenUses, 'unitOfWork');
bind(Authenticate, 'unitOfWork', 'clock', 'secrets', tokenUses);

// @ts-expect-error: too few
bind(Authenticate, 'unitOfWork', 'clock', 'secrets');
// @ts-expect-error: too many
bind(Authenticate, 'unitOfWork', 'clock', 'secrets', tokenUses, 'clock');
// @ts-expect-error: in another order
bind(Authenticate, 'clock', 'unitOfWork', 'secrets', tokenUses);
// @ts-expect-error: another port
bind(Authenticate, 'unitOfWork', 'clock', 'secretBox', tokenUses);
// @ts-expect-error: a port that there is not
bind(Authenticate, 'unitOfWork', 'clock', 'secrets', 'tokenUses');
// @ts-expect-error: an object of another class
bind(Authenticate, 'unitOfWork', 'clock', 'secrets', bind(TokenIssuer, 'clock', 'ids', 'secrets'));
// @ts-expect-error: a class, and not how it is made
bind(Authenticate, 'unitOfWork', 'clock', 'secrets', TokenUses);

class NeedsSetting {
  constructor(readonly settings: Pick<Settings, 'auditDays'>) {}
}
bind(NeedsSetting, 'settings');
class NeedsNumber {
  constructor(readonly auditDays: number) {}
}
// @ts-expect-error: no port is a plain number
bind(NeedsNumber, 'settings');
class FewerRepositories {
  constructor(readonly unitOfWork: UnitOfWork<'tokens'>) {}
}
class MoreRepositories {
  constructor(readonly unitOfWork: UnitOfWork<'teams' | 'tokens' | 'audit'>) {}
}
bind(FewerRepositories, 'unitOfWork');
class MayDoWithoutClock {
  constructor(
    readonly unitOfWork: UnitOfWork,
    readonly clock?: Clock,
  ) {}
}
bind(MayDoWithoutClock, 'unitOfWork');
// @ts-expect-error: another port where none would do
bind(MayDoWithoutClock, 'unitOfWork', 'ids');

declare const whole: UnitOfWork;
declare const narrow: UnitOfWork<'teams' | 'tokens'>;
new FewerRepositories(whole);
new FewerRepositories(narrow);
// @ts-expect-error: a unit of work without a repository that is needed
new MoreRepositories(narrow);
await narrow.run(async (tx) => {
  await tx.tokens.find('a token');
  // @ts-expect-error: a repository that was not asked for
  await tx.audit.forget('2030-01-01T00:00:00.000Z', 1);
});

const misnamed = { createTeam: bind(ListTeams, 'unitOfWork') };
declare const built: Bound<typeof misnamed>;
// @ts-expect-error: not the class that those who use it expect
export const use: Pick<UseCases, 'createTeam'> = built;
