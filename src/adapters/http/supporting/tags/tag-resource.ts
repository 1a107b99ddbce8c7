import type { CountedTag } from '../../../../application/index.js';
import type { EffectiveTagBinding, TagBinding } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, dateTime, text } from '../../routing/resource-schema.js';

const tag =
  ({ attribute, toOne }: ResourceBuilder) =>
  (tag: CountedTag): Resource => ({
    id: tag.id,
    type: 'tags',
    attributes: {
      name: attribute(text, tag.name),
      'created-at': attribute(dateTime, tag.createdAt),
      'instance-count': attribute(count, tag.workspaces, 'Number of workspaces with the tag that the caller may read.'),
    },
    relationships: { organization: toOne('organizations', tag.organizationName) },
  });

const binding =
  ({ attribute }: ResourceBuilder) =>
  (binding: TagBinding): Resource => ({
    id: binding.id,
    type: 'tag-bindings',
    attributes: {
      key: attribute(text, binding.key),
      value: attribute(text, binding.value, 'May be empty.'),
      'created-at': attribute(dateTime, binding.createdAt),
    },
  });

const effectiveBinding =
  ({ attribute, group, optional, link }: ResourceBuilder) =>
  (dialect: Dialect) =>
  (binding: Pick<EffectiveTagBinding, 'id' | 'key' | 'value' | 'inheritedFrom'>): Resource => ({
    id: binding.id,
    type: 'effective-tag-bindings',
    attributes: { key: attribute(text, binding.key), value: attribute(text, binding.value, 'May be empty.') },
    links: optional(
      binding.inheritedFrom === null
        ? undefined
        : group({ 'inherited-from': link(`${dialect.prefix}/projects/${binding.inheritedFrom}`) }),
      'The project that it comes from. Absent for a binding of its own.',
    ),
  });

export const presentTag = tag(presenting);
export const presentBinding = binding(presenting);
export const presentEffectiveBinding = effectiveBinding(presenting);

export const tagSchema = described({ name: 'Tag', about: 'A name by which workspaces are grouped.' }, (words) =>
  tag(words)(anyView()),
);

export const bindingSchema = described({ name: 'TagBinding', about: 'A tag with a key and a value.' }, (words) =>
  binding(words)(anyView()),
);

export const effectiveBindingSchema = described({ name: 'EffectiveTagBinding' }, (words, dialect) =>
  effectiveBinding(words)(dialect)(anyView({ inheritedFrom: 'prj' })),
);
