import { type ReactNode, useState } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button, Sending } from './button.tsx';
import { Field } from './field.tsx';
import { ProblemView } from './problem-view.tsx';
import { Opener } from './row-menu.tsx';

interface Props {
  /** The label of the button that opens the dialog. */
  readonly trigger: string;
  /** The button's name for screen readers, if its label is not unique on the page. */
  readonly triggerName?: string;
  readonly title: string;
  readonly children?: ReactNode;
  /** The label of the button that does it. */
  readonly confirm: string;
  readonly isDanger?: boolean;
  /** Words that must be typed before the button works. */
  readonly typed?: string;
  /** Asks for a comment, which `onConfirm` gets. */
  readonly comment?: string;
  /** Whether the button works only once there is a comment. */
  readonly needsComment?: boolean;
  readonly kind?: 'main' | 'plain' | 'danger';
  /** The dialog closes when this resolves, and shows what it rejects with. */
  readonly onConfirm: (comment: string) => Promise<unknown>;
}

/** A button, or an item of a menu, that asks before it acts. */
export function Confirm({ trigger, triggerName, title, kind = 'plain', ...props }: Props) {
  return (
    <Opener trigger={trigger} triggerName={triggerName} kind={kind}>
      {(opening) => (
        <ModalDialog title={title} {...opening}>
          {(close) => <Question {...props} close={close} />}
        </ModalDialog>
      )}
    </Opener>
  );
}

interface DialogProps {
  readonly title: string;
  /** Without these, the trigger around it opens it. */
  readonly isOpen?: boolean;
  readonly onOpenChange?: (isOpen: boolean) => void;
  readonly children: (close: () => void) => ReactNode;
}

/** A dialog above the page: it takes the focus, and Escape closes it. */
export const ModalDialog = ({ title, children, ...opening }: DialogProps) => (
  <ModalOverlay className="overlay" isDismissable {...opening}>
    <Modal className="modal">
      <Dialog className="dialog">
        {({ close }) => (
          <>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            {children(close)}
          </>
        )}
      </Dialog>
    </Modal>
  </ModalOverlay>
);

type QuestionProps = Omit<Props, 'trigger' | 'triggerName' | 'title' | 'kind'> & { readonly close: () => void };

function Question({ children, confirm, isDanger, typed, comment, needsComment, onConfirm, close }: QuestionProps) {
  const [words, setWords] = useState('');
  const [remark, setRemark] = useState('');
  const [problem, setProblem] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const act = async (): Promise<void> => {
    setPending(true);
    try {
      await onConfirm(remark);
      close();
    } catch (error) {
      setProblem(error);
    } finally {
      setPending(false);
    }
  };
  return (
    <>
      {children}
      {typed !== undefined && <Field label={`Type ${typed} to confirm`} value={words} onChange={setWords} />}
      {comment !== undefined && (
        <Field label={comment} value={remark} onChange={setRemark} rows={3} isRequired={needsComment} />
      )}
      {problem !== undefined && !isPending && <ProblemView problem={problem} />}
      <Sending isPending={isPending} />
      <div className="actions">
        <Button onPress={close}>Cancel</Button>
        <Button
          kind={isDanger ? 'danger' : 'main'}
          onPress={() => void act()}
          isPending={isPending}
          isDisabled={(typed !== undefined && words !== typed) || (needsComment && remark.trim() === '')}
        >
          {confirm}
        </Button>
      </div>
    </>
  );
}
