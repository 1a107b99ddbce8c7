import { useState } from 'react';
import { DialogTrigger } from 'react-aria-components';
import { useLocation } from 'wouter';
import { addresses } from '../addresses.ts';
import { api, type Schemas } from '../api/client.ts';
import { useMaybeRead } from '../api/reading.ts';
import { Button, DisabledButton } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { ModalDialog } from '../parts/confirm.tsx';
import { EntryForm } from '../parts/entry-form.tsx';
import { Field, SelectField } from '../parts/field.tsx';
import { unusableVersions } from '../parts/status-words.ts';
import { outdatedByRuns } from './outdated.ts';
import type { Workspace } from './workspace.ts';

const kinds = {
  apply: { label: 'Plan and apply', attributes: {} },
  plan: { label: 'Plan only', attributes: { 'plan-only': true } },
  refresh: { label: 'Refresh the state only', attributes: { 'refresh-only': true } },
  destroy: { label: 'Destroy everything', attributes: { 'is-destroy': true } },
} as const;
type Kind = keyof typeof kinds;

function obstacleOf(
  mode: string,
  current: string | undefined,
  version: Schemas['client.ConfigurationVersion'] | undefined,
): string | undefined {
  if (mode === 'local') return 'The execution mode is local. Run terraform on your machine.';
  if (current === undefined) return 'Upload a configuration first.';
  return version && unusableVersions[version.attributes.status];
}

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
  readonly kind: 'main' | 'plain';
}

/** Starts a run of the workspace's current configuration version. */
export function NewRun({ organization, workspace: { id, attributes, relationships }, kind: shown }: Props) {
  const [, navigate] = useLocation();
  const [kind, setKind] = useState<Kind>('apply');
  const { permissions, actions } = attributes;
  const create = useChange(
    (message: string) =>
      api.post('/runs', {
        body: {
          data: {
            type: 'runs',
            attributes: { ...(message === '' ? {} : { message }), ...kinds[kind].attributes },
            relationships: { workspace: { data: { type: 'workspaces', id } } },
          },
        },
      }),
    { done: 'The run was created.', outdates: outdatedByRuns },
  );
  const current = relationships['current-configuration-version'].data?.id;
  const version = useMaybeRead(
    '/configuration-versions/{id}',
    { path: { id: current ?? '' } },
    { enabled: permissions['can-queue-run'] && current !== undefined },
  ).data?.data;
  if (!permissions['can-queue-run']) return null;
  const obstacle = obstacleOf(attributes['execution-mode'], current, version);
  if (obstacle !== undefined) return <DisabledButton because={obstacle}>New run</DisabledButton>;
  const offered = (Object.keys(kinds) as Kind[]).filter(
    (one) => one !== 'destroy' || (permissions['can-queue-destroy'] && actions['is-destroyable']),
  );
  return (
    <DialogTrigger>
      <Button kind={shown}>New run</Button>
      <ModalDialog title="New run">
        {(close) => (
          <EntryForm
            submit="Start run"
            isPending={create.isPending}
            problem={create.problem}
            onCancel={close}
            onSubmit={async ({ message = '' }) => {
              const { data } = await create.run(message);
              close();
              navigate(addresses.run(organization, attributes.name, data.id));
            }}
          >
            {attributes.locked && (
              <p className="notice">The workspace is locked. The run waits until it is unlocked.</p>
            )}
            <Field label="Message" name="message" description="Shown in lists, and as the title of the run." />
            <SelectField
              label="Kind"
              value={kind}
              choices={offered.map((value) => ({ value, label: kinds[value].label }))}
              onChange={(value) => setKind(value as Kind)}
            />
          </EntryForm>
        )}
      </ModalDialog>
    </DialogTrigger>
  );
}
