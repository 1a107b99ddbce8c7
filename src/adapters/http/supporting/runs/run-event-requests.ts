import { commentText } from '../../routing/action-comment.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { include } from '../../routing/parameters.js';
import { reading, resourceDocument } from '../../routing/schema.js';

const type: TypeName = { singular: 'comment', plural: 'comments' };

export const runEventParameters = { include: include({ actor: ['actor'], comment: ['comment'] }) };

/** Returns the text of the comment. */
export const newRunComment = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, type, { body: commentText.regex(/\S/, "Body can't be blank") }),
    ({ data: { attributes } }): string => attributes.body,
  );
