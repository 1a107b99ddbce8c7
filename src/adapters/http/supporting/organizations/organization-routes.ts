import type { UseCases } from '../../../../application/use-cases.js';
import type { Dialect } from '../../routing/dialect.js';
import { pageDocument, pageRequest } from '../../routing/pagination.js';
import { changes, creates, lists, removes, shows } from '../../routing/reference.js';
import { created, get, noContent, ok, parameter, patch, post, type Route, remove } from '../../routing/route.js';
import { tokenExpiry } from '../users/user-requests.js';
import {
  newMembership,
  newOrganization,
  organizationChange,
  organizationTokenKind,
  organizationTokenParameters,
} from './organization-requests.js';
import {
  entitlementSetSchema,
  issuedOrganizationTokenSchema,
  membershipSchema,
  organizationSchema,
  organizationTokenSchema,
  presentEntitlementSet,
  presentMembership,
  presentOrganization,
  presentOrganizationToken,
} from './organization-resource.js';

export const organizationRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newOrganization(dialect);
  const readChange = organizationChange(dialect);
  const readExpiry = tokenExpiry(dialect);
  const readMembership = newMembership(dialect);
  const organizationShape = () => organizationSchema(dialect);
  const membershipShape = () => membershipSchema(dialect);
  const tokenPath = '/organizations/:organization/authentication-token';
  const membershipsPath = '/organizations/:organization/organization-memberships';
  return [
    get(
      '/organizations',
      null,
      () =>
        lists('listOrganizations', 'List the organizations the caller belongs to', organizationShape(), {
          refusals: ['resource/not-found'],
        }),
      async (call) => {
        const page = await use.listOrganizations.execute(call.actor, pageRequest(call.query));
        return ok(pageDocument(call.path, call.query, page, presentOrganization(dialect)));
      },
    ),
    post(
      '/organizations',
      'organizations/create',
      () =>
        creates('createOrganization', 'Create an organization', readNew, organizationShape(), {
          about: 'Its creator becomes its first owner.',
          refusals: ['attribute/invalid', 'attribute/taken'],
        }),
      async (call) => {
        const organization = await use.createOrganization.execute(call.actor, readNew(call));
        return created({ data: presentOrganization(dialect)(organization) });
      },
    ),
    get(
      '/organizations/:organization',
      'organizations/read',
      () => shows('showOrganization', 'Show an organization', organizationShape()),
      async (call) => {
        const seen = await use.showOrganization.execute(call.actor, parameter(call, 'organization'));
        return ok({ data: presentOrganization(dialect, seen.standing)(seen.subject) });
      },
    ),
    patch(
      '/organizations/:organization',
      'organizations/update',
      () =>
        changes('updateOrganization', 'Change an organization', readChange, organizationShape(), {
          refusals: ['attribute/invalid', 'attribute/taken'],
        }),
      async (call) => {
        const name = parameter(call, 'organization');
        const organization = await use.updateOrganization.execute(call.actor, name, readChange(call));
        return ok({ data: presentOrganization(dialect)(organization) });
      },
    ),
    remove(
      '/organizations/:organization',
      'organizations/delete',
      () => removes('removeOrganization', 'Delete an organization with all it has', 'runs/in-progress'),
      async (call) => {
        await use.removeOrganization.execute(call.actor, parameter(call, 'organization'));
        return noContent;
      },
    ),
    get(
      '/organizations/:organization/entitlement-set',
      'organizations/read',
      () =>
        shows('showEntitlementSet', 'Show what the service can do for an organization', entitlementSetSchema(dialect)),
      async (call) => {
        const { subject } = await use.showOrganization.execute(call.actor, parameter(call, 'organization'));
        return ok({ data: presentEntitlementSet(dialect)(subject) });
      },
    ),
    get(
      tokenPath,
      'organization-tokens/manage',
      () =>
        shows('showOrganizationToken', "Show an organization's token", organizationTokenSchema(dialect), {
          query: organizationTokenParameters,
          refusals: [422],
        }),
      async (call) => {
        const name = parameter(call, 'organization');
        const token = await use.showOrganizationToken.execute(call.actor, name, organizationTokenKind(call.query));
        return ok({ data: presentOrganizationToken(name, token) });
      },
    ),
    post(
      tokenPath,
      'organization-tokens/manage',
      () =>
        creates(
          'issueOrganizationToken',
          "Issue an organization's token (replaces the existing one)",
          readExpiry,
          issuedOrganizationTokenSchema(dialect),
          {
            about:
              'An organization has at most one token of each kind: its own token, and an audit token. Issuing one leaves the other as it is.',
            query: organizationTokenParameters,
          },
        ),
      async (call) => {
        const organizationName = parameter(call, 'organization');
        const kind = organizationTokenKind(call.query);
        const command = { organizationName, kind, expiresAt: readExpiry(call) };
        const { token, secret } = await use.issueOrganizationToken.execute(call.actor, command);
        return created({ data: presentOrganizationToken(organizationName, token, secret) });
      },
    ),
    remove(
      tokenPath,
      'organization-tokens/manage',
      () => ({
        ...removes('revokeOrganizationToken', "Revoke an organization's token", 422),
        query: organizationTokenParameters,
      }),
      async (call) => {
        const kind = organizationTokenKind(call.query);
        await use.revokeOrganizationToken.execute(call.actor, parameter(call, 'organization'), kind);
        return noContent;
      },
    ),
    get(
      membershipsPath,
      'memberships/read',
      () => lists('listOrganizationMemberships', 'List the members of an organization', membershipShape()),
      async (call) => {
        const name = parameter(call, 'organization');
        const page = await use.listOrganizationMemberships.execute(call.actor, name, pageRequest(call.query));
        return ok(pageDocument(call.path, call.query, page, presentMembership(dialect)));
      },
    ),
    post(
      membershipsPath,
      'memberships/manage',
      () =>
        creates(
          'addOrganizationMembership',
          'Invite an e-mail address to an organization',
          readMembership,
          membershipShape(),
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
      () => shows('showOrganizationMembership', 'Show a membership', membershipShape()),
      async (call) => {
        const membership = await use.showOrganizationMembership.execute(call.actor, parameter(call, 'id'));
        return ok({ data: presentMembership(dialect)(membership) });
      },
    ),
    remove(
      '/organization-memberships/:id',
      'memberships/manage',
      () => removes('removeOrganizationMembership', 'End a membership', 'owners-team/protected'),
      async (call) => {
        await use.removeOrganizationMembership.execute(call.actor, parameter(call, 'id'));
        return noContent;
      },
    ),
  ];
};
