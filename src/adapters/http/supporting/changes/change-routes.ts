import type { UseCases } from '../../../../application/use-cases.js';
import type { Reference } from '../../routing/reference.js';
import { get, parameter, type Route } from '../../routing/route.js';
import { streamChanges } from './change-stream.js';
import { eventStreamType } from './event-stream.js';

const reference =
  (operation: string, summary: string, events: string): (() => Reference) =>
  () => ({
    operation,
    summary,
    about: `Server-sent events without content: read what you show again. ${events} \`all\`, with the data \`{}\`, means that anything may have changed. The stream ends after five minutes at the latest, and when the caller loses the right: open it again, and read again what you show. Lines that begin with a colon keep the connection open.`,
    answers: { 200: { mediaType: eventStreamType } },
    refusals: ['changes/too-many-followers', 'changes/no-room'],
  });

export const changeRoutes = (use: UseCases): Route[] => [
  get(
    '/workspaces/:id/changes',
    'workspaces/read',
    reference(
      'followWorkspace',
      'Follow the changes of a workspace',
      'The event `workspace` means that the workspace or something in it changed, such as a run; `log` means that the log of a run grew. Their data is the id of the workspace: `{"id":"ws-…"}`.',
    ),
    (call) =>
      streamChanges(call, 'betweenEvents', (listener) =>
        use.followWorkspace.execute(call.actor, parameter(call, 'id'), listener),
      ),
  ),
  get(
    '/organizations/:organization/changes',
    'organizations/read',
    reference(
      'followOrganization',
      'Follow the changes of the workspaces of an organization',
      'The event `workspace` names a workspace that the caller can read, in which something other than a log changed: `{"id":"ws-…"}`.',
    ),
    (call) =>
      streamChanges(call, 'betweenLists', (listener) =>
        use.followOrganization.execute(call.actor, parameter(call, 'organization'), listener),
      ),
  ),
];
