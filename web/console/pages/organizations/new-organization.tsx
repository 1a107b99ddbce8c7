import { useLocation } from 'wouter';
import { addresses } from '../../addresses.ts';
import { api } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';

/** For site administrators only. */
export function NewOrganization() {
  const [, navigate] = useLocation();
  const account = useMaybeRead('/account/details', {}).data?.data.attributes;
  if (!account?.permissions?.['can-create-organizations']) return null;
  return (
    <FormDialog
      trigger="New organization"
      title="New organization"
      kind="main"
      submit="Create organization"
      send={({ name = '', email = '' }) =>
        api.post('/organizations', { body: { data: { type: 'organizations', attributes: { name, email } } } })
      }
      done="The organization was created."
      outdates={['/organizations']}
      then={({ data }) => navigate(addresses.home(data.attributes.name))}
    >
      <Field label="Name" name="name" isRequired autoFocus />
      <Field label="E-mail address" name="email" type="email" isRequired defaultValue={account.email} />
    </FormDialog>
  );
}
