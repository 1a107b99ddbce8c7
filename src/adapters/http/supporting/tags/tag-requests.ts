import { z } from 'zod';
import type { TagReference } from '../../../../application/index.js';
import type { KeyValue } from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { textual } from '../../routing/parameters.js';
import { absentable, manyOf, reading, typeMember, word } from '../../routing/schema.js';

const tagType: TypeName = { singular: 'tag', plural: 'tags' };
const bindingType: TypeName = { singular: 'tag-binding', plural: 'tag-bindings' };

const withEither = 'A tag must have an id or a name';

/** Tags, each by its id or by its name. Clients send an empty id with a name. */
export const tagList = (dialect: Dialect) =>
  manyOf(
    z
      .object({
        type: typeMember(dialect, tagType),
        id: absentable(word),
        attributes: absentable(z.object({ name: absentable(word) })),
      })
      .refine(({ id, attributes }) => Boolean(id || attributes?.name), { error: withEither }),
  );

export const toTags = (tags: z.infer<ReturnType<typeof tagList>>): readonly TagReference[] =>
  tags.map(({ id, attributes }) => (id ? { id } : { name: attributes?.name ?? '' }));

/** The domain checks keys and values. */
export const bindingList = (dialect: Dialect) =>
  manyOf(
    z.object({
      type: typeMember(dialect, bindingType),
      attributes: z.object({ key: z.string().max(1024), value: absentable(z.string().max(1024)) }),
    }),
  );

export const toBindings = (bindings: z.infer<ReturnType<typeof bindingList>>): readonly KeyValue[] =>
  bindings.map(({ attributes: { key, value } }) => ({ key, value: value ?? '' }));

export const readTags = (dialect: Dialect) => reading(z.object({ data: tagList(dialect) }), ({ data }) => toTags(data));

export const readBindings = (dialect: Dialect) =>
  reading(z.object({ data: bindingList(dialect) }), ({ data }) => toBindings(data));

export const readTagIds = (dialect: Dialect) =>
  reading(z.object({ data: manyOf(z.object({ type: typeMember(dialect, tagType), id: word.min(1) })) }), ({ data }) =>
    data.map(({ id }) => id),
  );

export const tagsParameters = {
  q: textual('Only tags with this text in their name.'),
  'filter[exclude][taggable][id]': textual('Only tags that the workspace with this id does not have.'),
};

export const workspaceTagsParameters = { name: textual('Only tags with this text in their name.') };
