import type { UseCases } from '../../../../application/use-cases.js';
import { answerCreated, answerEmpty, answerOne, answerPage } from '../../routing/answering.js';
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
      lists('listOrganizations', 'List the organizations the caller belongs to', organizationShape, {
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
        about: 'Its creator becomes its first owner.',
        refusals: ['attribute/invalid', 'attribute/taken'],
      }),
      answerCreated(presentOrganization(dialect), (call) => use.createOrganization.execute(call.actor, readNew(call))),
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
      changes('updateOrganization', 'Change an organization', readChange, organizationShape, {
        refusals: ['attribute/invalid', 'attribute/taken'],
      }),
      answerOne(presentOrganization(dialect), (call) =>
        use.updateOrganization.execute(call.actor, parameter(call, 'organization'), readChange(call)),
      ),
    ),
    remove(
      '/organizations/:organization',
      'organizations/delete',
      removes('removeOrganization', 'Delete an organization with all it has', 'runs/in-progress'),
      answerEmpty((call) => use.removeOrganization.execute(call.actor, parameter(call, 'organization'))),
    ),
    get(
      '/organizations/:organization/entitlement-set',
      'organizations/read',
      shows('showEntitlementSet', 'Show what the service can do for an organization', () =>
        entitlementSetSchema(dialect),
      ),
      async (call) => {
        const { subject } = await use.showOrganization.execute(call.actor, parameter(call, 'organization'));
        return ok({ data: presentEntitlementSet(dialect)(subject) });
      },
    ),
    get(
      membershipsPath,
      'memberships/read',
      lists('listOrganizationMemberships', 'List the members of an organization', membershipShape),
      answerPage(presentMembership(dialect), (call) =>
        use.listOrganizationMemberships.execute(call.actor, parameter(call, 'organization'), pageRequest(call.query)),
      ),
    ),
    post(
      membershipsPath,
      'memberships/manage',
      creates(
        'addOrganizationMembership',
        'Invite an e-mail address to an organization',
        readMembership,
        membershipShape,
        {
          about:
            'A user who has the address is a member at once. Otherwise the user who is created with it becomes one. The answer is the same.',
          refusals: ['attribute/invalid', 'attribute/taken'],
        },
      ),
      async (call) => {
        const command = { organizationName: parameter(call, 'organization'), ...readMembership(call) };
        const membership = await use.addOrganizationMembership.execute(call.actor, command);
        return created({ data: presentMembership(dialect)(membership) });
      },
    ),
    get(
      '/organization-memberships/:id',
      'memberships/read',
      shows('showOrganizationMembership', 'Show a membership', membershipShape),
      answerOne(presentMembership(dialect), (call) =>
        use.showOrganizationMembership.execute(call.actor, parameter(call, 'id')),
      ),
    ),
    remove(
      '/organization-memberships/:id',
      'memberships/manage',
      removes('removeOrganizationMembership', 'End a membership', 'owners-team/protected'),
      answerEmpty((call) => use.removeOrganizationMembership.execute(call.actor, parameter(call, 'id'))),
    ),
  ];
};
