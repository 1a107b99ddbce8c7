import type { FormEvent, ReactNode } from 'react';
import { Form } from 'react-aria-components';
import { Problem } from '../api/problem.ts';
import { Button, SubmitButton } from './button.tsx';
import { ProblemView } from './problem-view.tsx';

/** The values of the fields by their names. */
export type FormValues = Readonly<Record<string, string>>;

interface Props {
  /** The label of the button that sends. */
  readonly submit: string;
  readonly isPending: boolean;
  /** The problem of the last attempt. Errors about an attribute also appear at the field of that name. */
  readonly problem: unknown;
  readonly onCancel?: () => void;
  /** The form shows a rejection through `problem`. */
  readonly onSubmit: (values: FormValues) => Promise<unknown>;
  readonly children: ReactNode;
}

export function EntryForm({ submit, isPending, problem, onCancel, onSubmit, children }: Props) {
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const values = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]);
    // `useChange` keeps the problem.
    onSubmit(Object.fromEntries(values)).catch(() => {});
  };
  return (
    <Form
      className="entry"
      onSubmit={send}
      {...(problem instanceof Problem ? { validationErrors: problem.byAttribute } : {})}
    >
      {children}
      {problem !== undefined && <ProblemView problem={problem} />}
      <div className="actions">
        {onCancel !== undefined && <Button onPress={onCancel}>Cancel</Button>}
        <SubmitButton isPending={isPending}>{submit}</SubmitButton>
      </div>
    </Form>
  );
}
