import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { Form } from 'react-aria-components';
import { Problem } from '../api/problem.ts';
import { Button, Sending, SubmitButton } from './button.tsx';
import { ProblemView } from './problem-view.tsx';

/** The values of the fields by their names. */
export type FormValues = Readonly<Record<string, string>>;

interface Props {
  /** The label of the button that sends. */
  readonly submit: string;
  readonly isPending: boolean;
  /** False where another form of the page has the one button that stands out. */
  readonly isMain?: boolean;
  /** The problem of the last attempt. Errors about an attribute also appear at the field of that name. */
  readonly problem: unknown;
  readonly onCancel?: () => void;
  /** The form shows a rejection through `problem`. */
  readonly onSubmit: (values: FormValues) => Promise<unknown>;
  readonly children: ReactNode;
}

export function EntryForm({ submit, isPending, isMain = true, problem, onCancel, onSubmit, children }: Props) {
  // The Enter key sends a form whose button is disabled, and a second click may come before the next render.
  const isSending = useRef(false);
  // The errors at the fields end with the first change. If they ended when the field loses the focus, the button would move
  // away from under the pointer that presses it.
  const [corrected, setCorrected] = useState<unknown>();
  const errors = problem instanceof Problem && problem !== corrected ? problem.byAttribute : {};
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (isSending.current) return;
    isSending.current = true;
    const values = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]);
    // `useChange` keeps the problem.
    onSubmit(Object.fromEntries(values))
      .catch(() => {})
      .finally(() => {
        isSending.current = false;
      });
  };
  // The library passes the listener on, although its types lack it.
  const correcting: object = { onInput: () => setCorrected(problem) };
  return (
    <Form className="entry" onSubmit={send} {...correcting} validationErrors={errors}>
      {children}
      {problem !== undefined && !isPending && <ProblemView problem={problem} />}
      <Sending isPending={isPending} />
      <div className="actions">
        {onCancel !== undefined && <Button onPress={onCancel}>Cancel</Button>}
        <SubmitButton isPending={isPending} isMain={isMain}>
          {submit}
        </SubmitButton>
      </div>
    </Form>
  );
}
