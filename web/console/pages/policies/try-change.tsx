import { useState } from 'react';
import { DialogTrigger } from 'react-aria-components';
import { useLocation } from 'wouter';
import { addresses } from '../../addresses.ts';
import { api, type Schemas } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { ArchiveChoice, archiveFault } from '../../parts/archive-choice.tsx';
import { Button } from '../../parts/button.tsx';
import { useChange } from '../../parts/change.ts';
import { ModalDialog } from '../../parts/confirm.tsx';
import { EntryForm } from '../../parts/entry-form.tsx';
import { Field } from '../../parts/field.tsx';

interface Props {
  readonly organization: string;
  readonly set: Schemas['client.PolicySet'];
}

/** Evaluates other code of a policy set against plans that exist. */
export const TryChange = (props: Props) => (
  <DialogTrigger>
    <Button>Try a change</Button>
    <ModalDialog title="Try a change">{(close) => <TrialForm {...props} close={close} />}</ModalDialog>
  </DialogTrigger>
);

/** Bytes of an archive, and plans: the limits of the service. */
const most = { bytes: 1024 * 1024, plans: 100 };

const parametersPath = '/policy-sets/{policySetId}/parameters';

/** A trial takes no sensitive parameters. The value of one whose key is lost is null. */
const isShown = ({ attributes }: Schemas['client.PolicySetParameter']): boolean =>
  !attributes.sensitive && attributes.value !== null;

const inBase64 = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^[^,]*,/, '')));
    reader.addEventListener('error', () => reject(new Error(`${file.name} cannot be read. Choose it again.`)));
    reader.readAsDataURL(file);
  });

async function faultOf(file: File | undefined): Promise<string | undefined> {
  if (file !== undefined && file.size > most.bytes) {
    return `${file.name} has ${file.size} bytes. A trial takes at most ${most.bytes}.`;
  }
  return archiveFault(file, 'policies.tar.gz');
}

function TrialForm({ organization, set, close }: Props & { readonly close: () => void }) {
  const [, navigate] = useLocation();
  const [file, setFile] = useState<File>();
  const [fault, setFault] = useState<string>();
  const read = useMaybeRead(parametersPath, { path: { policySetId: set.id } });
  const start = useChange(
    async ({ archive, plans }: { readonly archive: File; readonly plans: number }) => {
      const { data: parameters } = await api.get(parametersPath, { path: { policySetId: set.id } });
      return api.post('/organizations/{organization}/policy-trials', {
        path: { organization },
        body: {
          data: {
            type: 'policy-trials',
            attributes: {
              archive: await inBase64(archive),
              plans,
              'policy-tool-version': set.attributes['policy-tool-version'],
              parameters: parameters
                .filter(isShown)
                .map(({ attributes: { key, value } }) => ({ key, value: value ?? '' })),
            },
            relationships: { 'policy-set': { data: { type: 'policy-sets', id: set.id } } },
          },
        },
      });
    },
    { done: 'The trial was created.', outdates: ['/organizations/{organization}/policy-trials'] },
  );
  const left = (read.data?.data ?? []).filter((parameter) => !isShown(parameter));
  return (
    <EntryForm
      submit="Start trial"
      isPending={start.isPending}
      problem={start.problem}
      onCancel={close}
      onSubmit={async ({ plans = '' }) => {
        const wrong = await faultOf(file);
        setFault(wrong);
        if (file === undefined || wrong !== undefined) return;
        const { data } = await start.run({ archive: file, plans: Number(plans) });
        close();
        navigate(addresses.inSection(organization, 'policy-trials', data.id));
      }}
    >
      <p>
        Agents evaluate the new code against the newest plans of workspaces that {set.attributes.name} applies to, and
        compare its verdicts with the recorded ones. Runs do not change.
      </p>
      <ArchiveChoice file={file} onChoose={setFile} fault={fault} />
      <p className="quiet">
        The archive of a policy set version: <code>policies.hcl</code> and <code>.rego</code> files, packed with{' '}
        <code>tar czf policies.tar.gz -C FOLDER .</code>
      </p>
      <Field
        label="Plans"
        name="plans"
        type="number"
        isRequired
        defaultValue={String(most.plans)}
        description={`The newest, at most ${most.plans}.`}
      />
      {left.length > 0 && (
        <p className="notice">
          A trial shows its parameters, so it does not get {left.map(({ attributes }) => attributes.key).join(', ')}.
          Policies that need them may decide otherwise.
        </p>
      )}
    </EntryForm>
  );
}
