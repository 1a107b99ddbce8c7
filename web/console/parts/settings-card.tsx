import type { ReactNode } from 'react';
import type { Readable } from '../api/client.ts';
import { useChange } from './change.ts';
import { EntryForm, type FormValues } from './entry-form.tsx';

interface Props {
  readonly save: (values: FormValues) => Promise<unknown>;
  /** The sentence that is shown once they are saved. */
  readonly done: string;
  readonly outdates: readonly Readable[];
  /** The fields. */
  readonly children: ReactNode;
}

/** The settings of what the page shows, to be changed together. */
export function SettingsCard({ save, done, outdates, children }: Props) {
  const change = useChange(save, { done, outdates });
  return (
    <section className="card" aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <EntryForm submit="Save settings" isPending={change.isPending} problem={change.problem} onSubmit={change.run}>
        {children}
      </EntryForm>
    </section>
  );
}
