import { z } from 'zod';
import type { PolicySetParameterView } from '../../../../application/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { dateTime, flag, maybeText, no, text } from '../../routing/resource-schema.js';

const category = z.literal('policy-set');

const policySetParameter =
  ({ attribute, toOneAt, link }: ResourceBuilder) =>
  (dialect: Dialect) =>
  ({ parameter, value }: PolicySetParameterView): Resource => {
    const set = `${dialect.prefix}/policy-sets/${parameter.policySetId}`;
    return {
      id: parameter.id,
      type: 'vars',
      attributes: {
        key: attribute(text, parameter.key),
        value: attribute(
          maybeText,
          value,
          'Null for a sensitive parameter, and for a value that none of the signing secrets of the service can decrypt.',
        ),
        sensitive: attribute(flag, parameter.sensitive),
        category: attribute(category, 'policy-set'),
        hcl: attribute(no, false),
        'created-at': attribute(dateTime, parameter.createdAt),
        'version-id': attribute(text, String(parameter.revision), 'Changes with every update.'),
      },
      relationships: { configurable: toOneAt('policy-sets', parameter.policySetId, set) },
      links: { self: link(`${set}/parameters/${parameter.id}`) },
    };
  };

export const presentPolicySetParameter = policySetParameter(presenting);

export const policySetParameterSchema = described(
  { name: 'PolicySetParameter', about: 'A value that the policies of a set read as `data.parameters`.' },
  (words, dialect) => policySetParameter(words)(dialect)(anyView()),
);
