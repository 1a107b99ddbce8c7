import { signInLinkSeconds } from '../../../domain/index.js';
import { signInAddress } from '../../console-address.js';
import type { Command } from '../toolkit/command.js';
import { atWork, findOrFail, publicUrlOf, userNamed } from '../toolkit/operator.js';

/** Signs a user in to the console without a token: the first time, or when the identity provider is unavailable. */
export const signInLink: Command = {
  name: 'sign-in-link',
  does: 'prints a link that signs a user in to the console, once',
  about: `It is valid for ${signInLinkSeconds / 60} minutes, and replaces an earlier one of the user.`,
  options: { user: { value: 'NAME', about: 'the user whom the link signs in' } },
  run: async (call) => {
    const name = call.required('user');
    return atWork(call, async (place) => {
      const user = await userNamed(place, name);
      const issued = await findOrFail(`active user ${name}`, place.use.issueSignInLink.execute(place.operator, user));
      const link = signInAddress(publicUrlOf(call.config), issued.code);
      const { expiresAt } = issued;
      return {
        json: { user: user.username, 'expired-at': expiresAt, link },
        text: `Open this link in a browser to sign in as ${user.username}. It is valid until ${expiresAt}, once:\n\n  ${link}\n`,
      };
    });
  },
};
