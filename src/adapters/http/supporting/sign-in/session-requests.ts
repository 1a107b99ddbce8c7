import { z } from 'zod';
import { contract } from '../../routing/dialect.js';
import { invalid } from '../../routing/request-error.js';
import { absentable, parse, resourceDocument, word } from '../../routing/schema.js';

/** An operator may choose the token of the first site administrator. */
const longestToken = 4_096;

const schema = resourceDocument(
  contract,
  { singular: 'session', plural: 'sessions' },
  {
    token: absentable(z.string().max(longestToken)).meta({ description: 'A user token.' }),
    code: absentable(word).meta({ description: 'The code of a sign-in link, with which it is used up.' }),
  },
);

/** A token, or the code of a link. */
type Credentials = { readonly token: string } | { readonly code: string };

/** Throws a 422 unless there is exactly one. */
function read(body: unknown): Credentials {
  const { token, code } = parse(schema, body).data.attributes;
  if (token !== undefined && code === undefined) return { token };
  if (code !== undefined && token === undefined) return { code };
  throw invalid([{ detail: 'Attributes must have either token or code', pointer: '/data/attributes' }]);
}

export const credentials = { schema, read };
