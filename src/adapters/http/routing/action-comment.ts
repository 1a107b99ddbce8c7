import { z } from 'zod';
import { runCommentLimits } from '../../../domain/supporting/runs/run-event.js';
import { bodyKinds } from './body-kinds.js';
import { type Call, postBytes } from './route.js';
import { absentable, parse } from './schema.js';

/** A text of a comment. */
export const commentText = z.string().max(runCommentLimits.characters);

const commentSchema = z.object({ comment: absentable(commentText) });

const anyObject = z.record(z.string(), z.unknown());

/** POST of an action that a comment may come with. */
export const actWithComment = postBytes(bodyKinds.text);

/** The body, for the description. */
export const commentBody = { mediaType: 'application/json' } as const;

/** The sentence that describes `commentBody`. */
export const aboutComment = 'The body may have a `comment`, which the run event shows. Anything else in it is ignored.';

/**
 * The comment that comes with an action. Clients send such requests with bodies of any kind: only what is JSON is looked at,
 * and refused only for a comment that is not a text.
 */
export function readComment({ body }: Call): string | null {
  if (!(body instanceof Uint8Array)) return null;
  let given: unknown;
  try {
    given = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return null;
  }
  const object = anyObject.safeParse(given);
  return object.success ? (parse(commentSchema, object.data).comment ?? null) : null;
}
