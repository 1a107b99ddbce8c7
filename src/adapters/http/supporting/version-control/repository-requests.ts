import { z } from 'zod';
import type { RepositorySettings } from '../../../../domain/index.js';
import { absentable, unserved, word } from '../../routing/schema.js';

const withoutOauth = 'Link the repository by its clone-url: OAuth clients and GitHub Apps are not served';

/** Null unlinks, unlike a missing value. */
export const repository = z
  .object({
    'clone-url': z
      .string({ error: (issue) => (issue.input === undefined ? withoutOauth : undefined) })
      .max(2048)
      .meta({ description: 'The URL to fetch from, by https or http.' }),
    branch: absentable(word),
    credential: absentable(word),
    'oauth-token-id': unserved(withoutOauth),
    'github-app-installation-id': unserved(withoutOauth),
    'ingress-submodules': unserved('Submodules are not fetched'),
    'tags-regex': unserved('Tags do not create versions'),
  })
  .nullable()
  .optional();

/** Clients send an empty branch for the default one. */
export const toRepository = (given: z.infer<typeof repository>): RepositorySettings | null | undefined =>
  given && {
    cloneUrl: given['clone-url'],
    branch: given.branch || null,
    credential: given.credential ?? null,
  };
