import type { UseCases } from '../../../../application/use-cases.js';
import { answerEmpty, answerOne, answerPage } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { pageRequest } from '../../routing/pagination.js';
import { changes, creates, lists, removes, shows } from '../../routing/reference.js';
import { created, get, ok, parameter, patch, post, type Route, remove } from '../../routing/route.js';
import { newMembership, newOrganization, organizationChange } from './organization-requests.js';
import {
  entitlementSetSchema,
  membershipSchema,
  organizationSchema,
  presentEntitlementSet,
  presentMembership,
  presentOrganization,
} from './organization-resource.js';

export const organizationRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newOrganization(dialect);
  const readChange = organizationChange(dialect);
  const readMembership = newMembership(dialect);
  const organizationShape = () => organizationSchema(dialect);
  const membershipShape = () => membershipSchema(dialect);
  const membershipsPath = '/organizations/:organization/organization-memberships';
  return [
    get(
      '/organizations',
      null,
      lists('listOrganizations', 'List organizations', organizationShape, {
        refusals: ['resource/not-found'],
      }),
      answerPage(presentOrganization(dialect), (call) =>
        use.listOrganizations.execute(call.actor, pageRequest(call.query)),
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
        return created({ data: presentOrganization(dialect, made.standing)(made.subject) });
      },
    ),
    get(
      '/organizations/:organization',
      'organizations/read',
      shows('showOrganization', 'Show an organization', organizationShape),
      async (call) => {
        const seen = await use.showOrganization.execute(call.actor, parameter(call, 'organization'));
        return ok({ data: presentOrganization(dialect, seen.standing)(seen.subject) });
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
        return ok({ data: presentOrganization(dialect, changed.standing)(changed.subject) });
      },
    ),
    remove(
      '/organizations/:organization',
      'organizations/delete',
      removes('removeOrganization', 'Delete an organization and everything in it', { refusals: ['runs/in-progress'] }),
      answerEmpty((call) => use.removeOrganization.execute(call.actor, parameter(call, 'organization'))),
    ),
    get(
      '/organizations/:organization/entitlement-set',
      'organizations/read',
      shows('showEntitlementSet', 'Show the entitlement set of an organization', () => entitlementSetSchema(dialect)),
      async (call) => {
        const { subject } = await use.showOrganization.execute(call.actor, parameter(call, 'organization'));
        return ok({ data: presentEntitlementSet(dialect)(subject) });
      },
    ),
    get(
      membershipsPath,
      'memberships/read',
      lists('listOrganizationMemberships', 'List organization memberships', membershipShape),
      answerPage(presentMembership(dialect), (call) =>
        use.listOrganizationMemberships.execute(call.actor, parameter(call, 'organization'), pageRequest(call.query)),
      ),
    ),
    post(
      membershipsPath,
      'memberships/manage',
      creates('addOrganizationMembership', 'Invite a user to an organization', readMembership, membershipShape, {
        about:
          'An existing user with this e-mail address becomes a member immediately. Otherwise the membership waits until a user with the address is created. The response is the same in both cases.',
        refusals: ['attribute/invalid', 'attribute/taken'],
      }),
      async (call) => {
        const command = { organizationName: parameter(call, 'organization'), ...readMembership(call) };
        const membership = await use.addOrganizationMembership.execute(call.actor, command);
        return created({ data: presentMembership(dialect)(membership) });
      },
    ),
    get(
      '/organization-memberships/:id',
      'memberships/read',
      shows('showOrganizationMembership', 'Show an organization membership', membershipShape),
      answerOne(presentMembership(dialect), (call) =>
        use.showOrganizationMembership.execute(call.actor, parameter(call, 'id')),
      ),
    ),
    remove(
      '/organization-memberships/:id',
      'memberships/manage',
      removes('removeOrganizationMembership', 'Delete an organization membership', {
        refusals: ['owners-team/protected'],
      }),
      answerEmpty((call) => use.removeOrganizationMembership.execute(call.actor, parameter(call, 'id'))),
    ),
  ];
};
