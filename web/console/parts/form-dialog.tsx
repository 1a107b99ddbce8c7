import type { ReactNode } from 'react';
import type { Readable } from '../api/client.ts';
import { useChange } from './change.ts';
import { ModalDialog } from './confirm.tsx';
import { EntryForm, type FormValues } from './entry-form.tsx';
import { Opener } from './row-menu.tsx';

interface ContentProps<Result> {
  /** The label of the button that sends. */
  readonly submit: string;
  readonly send: (values: FormValues) => Promise<Result>;
  /** The sentence that is shown once it is done. */
  readonly done: string;
  readonly outdates: readonly Readable[];
  /** Called once the dialog is closed. */
  readonly then?: (result: Result) => void;
  readonly children: ReactNode;
}

interface Props<Result> extends ContentProps<Result> {
  /** The label of the button that opens the dialog. */
  readonly trigger: string;
  /** The button's name for screen readers, if its label is not unique on the page. */
  readonly triggerName?: string;
  readonly title: string;
  readonly kind?: 'main' | 'plain';
}

/** A button, or an item of a menu, that opens a form. */
export const FormDialog = <Result,>({ trigger, triggerName, title, kind = 'plain', ...props }: Props<Result>) => (
  <Opener trigger={trigger} triggerName={triggerName} kind={kind}>
    {(opening) => (
      <ModalDialog title={title} {...opening}>
        {(close) => <Content {...props} close={close} />}
      </ModalDialog>
    )}
  </Opener>
);

/** Inside the dialog, so that the next form begins without the problem of the last. */
function Content<Result>({
  submit,
  send,
  done,
  outdates,
  then,
  children,
  close,
}: ContentProps<Result> & { readonly close: () => void }) {
  const { run, isPending, problem } = useChange(send, { done, outdates });
  return (
    <EntryForm
      submit={submit}
      isPending={isPending}
      problem={problem}
      onCancel={close}
      onSubmit={async (values) => {
        const result = await run(values);
        close();
        then?.(result);
      }}
    >
      {children}
    </EntryForm>
  );
}
