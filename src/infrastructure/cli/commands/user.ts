import type { User } from '../../../domain/index.js';
import type { Answer, Command } from '../command.js';
import { all, atWork, userNamed } from '../operator.js';
import { card, listing } from '../output.js';

const presented = (user: User) => ({
  id: user.id,
  username: user.username,
  email: user.email,
  'is-admin': user.siteAdministrator,
  'is-suspended': user.suspended,
  'created-at': user.createdAt,
});

const add: Command = {
  name: 'user add',
  does: 'makes a user, and answers the secret of their first token',
  about: 'The secret is shown this once: the database keeps a digest of it. It is on standard output and nowhere else.',
  words: ['NAME'],
  options: {
    email: { value: 'ADDRESS', about: 'required; by it the user is invited to organizations' },
    'site-administrator': { about: 'lets the user make organizations and users' },
  },
  run: async (call) => {
    const email = call.required('email');
    const command = { username: call.word(0), email, siteAdministrator: call.switch('site-administrator') };
    return atWork(call, async (place) => {
      const { user, token, secret } = await place.use.createUser.execute(place.operator, command);
      return {
        json: { ...presented(user), 'authentication-token': { id: token.id, token: secret } },
        text: `${card(presented(user))}\n\nTheir first token, shown only now:\n\n  TOKEN=${secret}\n`,
      };
    });
  },
};

const list: Command = {
  name: 'user list',
  does: 'lists the users, by name',
  run: async (call) =>
    atWork(call, async (place) => {
      const users = await all((page) => place.use.listUsers.execute(place.operator, page));
      const rows = users.map((user) => [
        user.username,
        user.email,
        [user.siteAdministrator ? 'site administrator' : '', user.suspended ? 'suspended' : '']
          .filter(Boolean)
          .join(', '),
        user.createdAt,
        user.id,
      ]);
      return {
        json: users.map(presented),
        text: listing(['name', 'email', 'is', 'since', 'id'], rows, 'user'),
      };
    }),
};

const changed =
  (suspended: boolean): Command['run'] =>
  async (call): Promise<Answer> =>
    atWork(call, async (place) => {
      const { id } = await userNamed(place, call.word(0));
      const user = await place.use.changeUserSuspension.execute(place.operator, id, suspended);
      const sentence = suspended ? 'is suspended: their tokens are refused from now on' : 'is suspended no more';
      return { json: presented(user), text: `${user.username} ${sentence}` };
    });

const suspend: Command = {
  name: 'user suspend',
  does: 'has every token of a user refused, from the next request on',
  words: ['NAME'],
  run: changed(true),
};

const unsuspend: Command = {
  name: 'user unsuspend',
  does: 'takes that back',
  words: ['NAME'],
  run: changed(false),
};

export const userCommands: readonly Command[] = [add, list, suspend, unsuspend];
