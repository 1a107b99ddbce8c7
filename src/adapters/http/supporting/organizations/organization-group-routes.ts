import { z } from 'zod';
import type { OrganizationGroups } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import { maxGroupPatterns } from '../../../../domain/index.js';
import { answerOne } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { changes, shows } from '../../routing/reference.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, text } from '../../routing/resource-schema.js';
import { get, parameter, patch, type Route } from '../../routing/route.js';
import { reading, resourceDocument, word } from '../../routing/schema.js';
import { organizationType } from './organization-requests.js';

const organizationGroups =
  ({ attribute, each }: ResourceBuilder) =>
  ({ organization, groups, endedMemberships }: OrganizationGroups): Resource => ({
    id: organization.name,
    type: 'organizations',
    attributes: {
      name: attribute(text, organization.name),
      'external-id': attribute(text, organization.id),
      'sso-groups': attribute(
        z.array(text),
        groups.map(({ pattern }) => pattern),
        'The groups at the identity provider that the organization may map to its teams: values, or prefixes followed by `*`.',
      ),
      'sso-group-memberships': each(
        groups,
        ({ pattern, memberships }) => ({
          group: attribute(text, pattern),
          memberships: attribute(
            count,
            memberships,
            'The number of team memberships that end if the group is taken away.',
          ),
        }),
        'The memberships that depend on each group.',
      ),
      'ended-memberships': attribute(count, endedMemberships, 'The number of team memberships that the request ended.'),
    },
  });

const presentGroups = organizationGroups(presenting);

const groupsSchema = described(
  { name: 'OrganizationGroups', about: 'The groups at the identity provider that an organization was given.' },
  (words) => organizationGroups(words)(anyView()),
);

/** The groups of organizations, as site administrators give them. */
export const organizationGroupRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readGroups = reading(
    resourceDocument(dialect, organizationType, { 'sso-groups': z.array(word).max(maxGroupPatterns) }),
    ({ data }) => data.attributes['sso-groups'],
  );
  const path = '/admin/organizations/:organization';
  const shape = () => groupsSchema(dialect);
  return [
    get(
      path,
      'organizations/give-groups',
      shows('showOrganizationGroups', 'Show the groups that an organization was given', shape),
      answerOne(presentGroups, (call) =>
        use.showOrganizationGroups.execute(call.actor, parameter(call, 'organization')),
      ),
    ),
    patch(
      path,
      'organizations/give-groups',
      changes('giveOrganizationGroups', 'Give an organization groups', readGroups, shape, {
        about:
          'Replaces all groups of the organization. Team memberships that only a group gives which is taken away end immediately; `sso-group-memberships` says how many that will be.',
        refusals: ['attribute/invalid'],
      }),
      answerOne(presentGroups, (call) =>
        use.giveOrganizationGroups.execute(call.actor, parameter(call, 'organization'), readGroups(call)),
      ),
    ),
  ];
};
