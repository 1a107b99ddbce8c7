import { z } from 'zod';
import type { LinkedRepository } from '../../../../domain/index.js';
import type { ResourceBuilder } from '../../routing/resource.js';
import { maybeText, no, text } from '../../routing/resource-schema.js';

const webhookUrl = z.string().startsWith('/hooks/vcs/');

/** The webhook's key stands in the response that makes it and nowhere else; the credential's contents nowhere at all. */
export const linkedRepository =
  ({ attribute, optional }: ResourceBuilder, webhookKey: string | undefined) =>
  (repository: LinkedRepository) => {
    const identifier = new URL(repository.cloneUrl).pathname.replace(/^\//, '').replace(/\.git$/, '');
    return {
      'clone-url': attribute(text, repository.cloneUrl),
      branch: attribute(text, repository.branch ?? '', 'Empty for the default branch of the repository.'),
      credential: attribute(
        maybeText,
        repository.credential,
        'The name of the credential for fetching. Null for none.',
      ),
      identifier: attribute(text, identifier),
      'display-identifier': attribute(text, identifier),
      'ingress-submodules': attribute(no, false),
      'webhook-url': attribute(
        webhookUrl,
        `/hooks/vcs/${repository.webhookId}`,
        'The URL to register as a webhook in the version control system.',
      ),
      'webhook-key':
        webhookKey === undefined
          ? undefined
          : optional(
              attribute(text, webhookKey),
              'The secret that the version control system signs its webhooks with. Only present in the response that creates it.',
            ),
    };
  };
