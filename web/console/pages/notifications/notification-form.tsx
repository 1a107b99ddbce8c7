import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import type { FormValues } from '../../parts/entry-form.tsx';
import { CheckField, Field, SelectField } from '../../parts/field.tsx';

export type Notification = Schemas['client.NotificationConfiguration'];
type Attributes = Notification['attributes'];
type Destination = Attributes['destination-type'];
type Trigger = Attributes['triggers'][number];

/** The service sends no e-mail: configurations for it come from clients of the API, and are not offered. */
const destinations = {
  generic: 'Webhook',
  slack: 'Slack',
  'microsoft-teams': 'Microsoft Teams',
} as const satisfies Partial<Record<Destination, string>>;

export const destinationWords: Readonly<Record<Destination, string>> = {
  ...destinations,
  email: 'E-mail (not sent)',
};

/** The triggers of a workspace or a project, in the order of a run; the label of a list, and what it says in full. */
const triggers = {
  'run:created': ['Created', 'a run was created'],
  'run:planning': ['Planning', 'an agent plans'],
  'run:needs_attention': ['Needs a decision', 'a run waits for a confirmation or an override'],
  'run:applying': ['Applying', 'an agent applies'],
  'run:completed': ['Completed', 'a run was applied, or had nothing to apply'],
  'run:errored': ['Failed', 'a run failed, or was canceled or discarded'],
} as const satisfies Record<Exclude<Trigger, 'change_request:created'>, readonly [label: string, when: string]>;

type RunTrigger = keyof typeof triggers;
const runTriggers = Object.keys(triggers) as RunTrigger[];
const isRunTrigger = (trigger: Trigger): trigger is RunTrigger => trigger in triggers;

export const triggerLabels = (given: readonly Trigger[]): readonly string[] =>
  given.filter(isRunTrigger).map((trigger) => triggers[trigger][0]);

const choices = Object.entries(destinations).map(([value, label]) => ({ value, label }));

/** The fields of a notification; of an existing one if it is given. */
export function NotificationFields({ notification }: { readonly notification?: Notification }) {
  const { attributes } = notification ?? {};
  const [destination, setDestination] = useState<string>(attributes?.['destination-type'] ?? 'generic');
  return (
    <>
      <Field label="Name" name="name" isRequired autoFocus defaultValue={attributes?.name ?? ''} />
      {/* The service refuses another destination for an existing one. */}
      {attributes === undefined && (
        <SelectField
          label="Send to"
          name="destination-type"
          value={destination}
          choices={choices}
          onChange={setDestination}
        />
      )}
      <Field label="URL" name="url" type="url" isRequired defaultValue={attributes?.url ?? ''} />
      {destination === 'generic' && (
        <>
          <Field
            label="Secret"
            name="token"
            type="password"
            autoComplete="off"
            description={
              attributes === undefined
                ? 'Signs each notification. It is never shown again. Empty sends them unsigned.'
                : 'It cannot be shown. Leave this empty to keep it.'
            }
          />
          {attributes !== undefined && <CheckField label="Remove the secret" name="without-token" />}
        </>
      )}
      <fieldset className="checks">
        <legend>Notify when</legend>
        {runTriggers.map((trigger) => (
          <CheckField
            key={trigger}
            label={`${triggers[trigger][0]}: ${triggers[trigger][1]}`}
            name={trigger}
            isChecked={attributes?.triggers.includes(trigger) ?? false}
          />
        ))}
      </fieldset>
      <CheckField label="Enabled" name="enabled" isChecked={attributes?.enabled ?? true} />
      <p className="quiet">If it is enabled, the receiver gets a test when you save, and must answer it with a 2xx.</p>
    </>
  );
}

export const destinationOf = (values: FormValues) => values['destination-type'] as Destination;

/** The attributes that can change. A secret that is left empty stays as it is. */
export function notificationOf(values: FormValues) {
  const { name = '', url = '', token = '', enabled } = values;
  const removesToken = values['without-token'] === 'on';
  return {
    name,
    url,
    enabled: enabled === 'on',
    triggers: runTriggers.filter((trigger) => values[trigger] === 'on'),
    ...((token !== '' || removesToken) && { token: removesToken ? '' : token }),
  };
}
