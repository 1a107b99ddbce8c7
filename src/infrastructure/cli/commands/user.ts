import type { User } from '../../../domain/index.js';
import type { Answer, Command } from '../toolkit/command.js';
import { all, atWork, userNamed } from '../toolkit/operator.js';
import { card, listing } from '../toolkit/output.js';

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
  does: 'creates a user and prints the secret of their first token',
  about: 'The secret is printed only once, on standard output. The database stores only a digest of it.',
  args: ['NAME'],
  options: {
    email: { value: 'ADDRESS', about: 'required; e-mail address, to which organizations send invitations' },
    'site-administrator': { about: 'makes the user a site administrator, who can create organizations and users' },
  },
  run: async (call) => {
    const email = call.required('email');
    const command = { username: call.arg(0), email, siteAdministrator: call.switch('site-administrator') };
    return atWork(call, async (place) => {
      const { user, token, secret } = await place.use.createUser.execute(place.operator, command);
      return {
        json: { ...presented(user), 'authentication-token': { id: token.id, token: secret } },
        text: `${card(presented(user))}\n\nThe user's first token is shown only once:\n\n  TOKEN=${secret}\n`,
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
      const { id } = await userNamed(place, call.arg(0));
      const user = await place.use.changeUserSuspension.execute(place.operator, id, suspended);
      const sentence = suspended ? 'was suspended, and their tokens are rejected' : 'was unsuspended';
      return { json: presented(user), text: `${user.username} ${sentence}` };
    });

const suspend: Command = {
  name: 'user suspend',
  does: 'suspends a user: their tokens are rejected, effective with the next request',
  args: ['NAME'],
  run: changed(true),
};

const unsuspend: Command = {
  name: 'user unsuspend',
  does: 'unsuspends a user',
  args: ['NAME'],
  run: changed(false),
};

const remove: Command = {
  name: 'user delete',
  does: 'deletes a user: their tokens are rejected, effective with the next request',
  args: ['NAME'],
  options: { erase: { about: 'replaces the username in audit events by "deleted user"' } },
  run: async (call) =>
    atWork(call, async (place) => {
      const { id, username } = await userNamed(place, call.arg(0));
      const erased = call.switch('erase');
      await place.use.removeUser.execute(place.operator, id, erased);
      const sentence = erased ? ', and audit events do not name them any more' : '';
      return { json: { id, deleted: true, erased }, text: `${username} was deleted${sentence}` };
    }),
};

export const userCommands: readonly Command[] = [add, list, suspend, unsuspend, remove];
