import { type ChangedOrganization, type MembershipView, related } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import type { Team, WithStanding } from '../../../../domain/index.js';
import { answerEmpty, answerPage } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { withIncluded } from '../../routing/document.js';
import { pageDocument, pageRequest } from '../../routing/pagination.js';
import { valuesOf } from '../../routing/parameters.js';
import { changes, creates, lists, removes, shows } from '../../routing/reference.js';
import { type Neighbours, presentRelated, schemasOf } from '../../routing/related.js';
import { documentWithSchema } from '../../routing/resource-schema.js';
import { type Call, created, get, ok, parameter, patch, post, type Route, remove } from '../../routing/route.js';
import {
  membershipParameters,
  membershipsFilter,
  membershipsParameters,
  newMembership,
  newOrganization,
  organizationChange,
  organizationParameters,
  organizationsFilter,
  organizationsParameters,
} from './organization-requests.js';
import {
  entitlementSetSchema,
  membershipSchema,
  organizationSchema,
  presentEntitlementSet,
  presentMembership,
  presentOrganization,
} from './organization-resource.js';

export const organizationRoutes = (use: UseCases, dialect: Dialect, neighbours: Neighbours): Route[] => {
  const readNew = newOrganization(dialect);
  const readChange = organizationChange(dialect);
  const readMembership = newMembership(dialect);
  const present = ({ subject, standing }: WithStanding<ChangedOrganization>) =>
    presentOrganization(dialect, standing)(subject);
  const organizationShape = () => organizationSchema(dialect);
  const membershipShape = () => membershipSchema(dialect);
  const included = schemasOf(neighbours, 'user', 'team');
  const relatedTo = (call: Call, memberships: readonly MembershipView[], teams: readonly WithStanding<Team>[]) => {
    const { include } = valuesOf(membershipParameters, call.query);
    return presentRelated(neighbours, [
      ...(include.has('user') ? memberships.map(({ user }) => related('user')(user)) : []),
      ...(include.has('teams') ? teams.map(related('team')) : []),
    ]);
  };
  const membershipsPath = '/organizations/:organization/organization-memberships';
  return [
    get(
      '/organizations',
      null,
      lists('listOrganizations', 'List organizations', organizationShape, {
        parameters: organizationsParameters,
        refusals: ['resource/not-found'],
      }),
      answerPage(present, (call) =>
        use.listOrganizations.execute(call.actor, pageRequest(call.query), organizationsFilter(call)),
      ),
    ),
    post(
      '/organizations',
      'organizations/create',
      creates('createOrganization', 'Create an organization', readNew, organizationShape, {
        about: 'The caller becomes the first owner.',
        refusals: ['attribute/invalid', 'attribute/taken'],
      }),
      async (call) => {
        const made = await use.createOrganization.execute(call.actor, readNew(call));
        return created({ data: present(made) });
      },
    ),
    get(
      '/organizations/:organization',
      'organizations/read',
      shows('showOrganization', 'Show an organization', organizationShape, {
        parameters: organizationParameters,
        included: schemasOf(neighbours, 'project'),
      }),
      async (call) => {
        const { include } = valuesOf(organizationParameters, call.query);
        const seen = await use.showOrganization.execute(call.actor, parameter(call, 'organization'));
        const data = present(seen);
        if (!include.has('default-project')) return ok({ data });
        const project = await use.showProject.defaultOf(call.actor, seen.subject.id);
        return ok(withIncluded({ data }, presentRelated(neighbours, project.map(related('project')))));
      },
    ),
    patch(
      '/organizations/:organization',
      'organizations/update',
      changes('updateOrganization', 'Update an organization', readChange, organizationShape, {
        refusals: ['attribute/invalid', 'attribute/taken'],
      }),
      async (call) => {
        const changed = await use.updateOrganization.execute(
          call.actor,
          parameter(call, 'organization'),
          readChange(call),
        );
        return ok({ data: present(changed) });
      },
    ),
    remove(
      '/organizations/:organization',
      'organizations/delete',
      removes('removeOrganization', 'Delete an organization and everything in it', {
        about: 'Infrastructure is not destroyed. Refused while a run is being applied. Cannot be undone.',
        refusals: ['runs/in-progress'],
      }),
      answerEmpty((call) => use.removeOrganization.execute(call.actor, parameter(call, 'organization'))),
    ),
    get(
      '/organizations/:organization/entitlement-set',
      'organizations/read',
      shows('showEntitlementSet', 'Show the entitlement set of an organization', () => entitlementSetSchema(dialect)),
      async (call) => {
        const organization = await use.showOrganization.entitled(call.actor, parameter(call, 'organization'));
        return ok({ data: presentEntitlementSet(dialect)(organization) });
      },
    ),
    get(
      membershipsPath,
      'memberships/read',
      lists('listOrganizationMemberships', 'List organization memberships', membershipShape, {
        parameters: membershipsParameters,
        included,
      }),
      async (call) => {
        const { teams, ...page } = await use.listOrganizationMemberships.execute(
          call.actor,
          parameter(call, 'organization'),
          pageRequest(call.query),
          membershipsFilter(call),
        );
        const document = pageDocument(call.path, call.query, page, presentMembership(dialect));
        return ok(withIncluded(document, relatedTo(call, page.items, teams)));
      },
    ),
    post(
      membershipsPath,
      'memberships/manage',
      () => ({
        ...creates('addOrganizationMembership', 'Invite a user to an organization', readMembership, membershipShape, {
          about:
            'An existing user with this e-mail address becomes a member immediately. Otherwise the membership waits until a user with the address is created. The response is the same in both cases.',
          refusals: ['attribute/invalid', 'attribute/taken'],
        })(),
        answers: { 201: documentWithSchema(membershipShape(), schemasOf(neighbours, 'user')()) },
      }),
      async (call) => {
        const command = { organizationName: parameter(call, 'organization'), ...readMembership(call) };
        const membership = await use.addOrganizationMembership.execute(call.actor, command);
        const user = presentRelated(neighbours, [related('user')(membership.user)]);
        return created(withIncluded({ data: presentMembership(dialect)(membership) }, user));
      },
    ),
    get(
      '/organization-memberships/:id',
      'memberships/read',
      shows('showOrganizationMembership', 'Show an organization membership', membershipShape, {
        parameters: membershipParameters,
        included,
      }),
      async (call) => {
        const { subject, teams } = await use.showOrganizationMembership.execute(call.actor, parameter(call, 'id'));
        return ok(withIncluded({ data: presentMembership(dialect)(subject) }, relatedTo(call, [subject], teams)));
      },
    ),
    remove(
      '/organization-memberships/:id',
      'memberships/manage',
      removes('removeOrganizationMembership', 'Delete an organization membership', {
        about: 'Removes the user from every team of the organization. Refused for its last active owner.',
        refusals: ['owners-team/protected'],
      }),
      answerEmpty((call) => use.removeOrganizationMembership.execute(call.actor, parameter(call, 'id'))),
    ),
  ];
};
