import { createContext, type ReactNode, useContext, useState } from 'react';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { Button } from './button.tsx';

interface Props {
  /** The name of the thing in the row. */
  readonly of: string;
  /** Buttons, such as those of `Confirm` and `FormDialog`. */
  readonly children: ReactNode;
}

const Closing = createContext((): void => undefined);

/** For a dialog that a button of the menu opens: the menu closes with it. */
export function useMenuClosing(): (isOpen: boolean) => void {
  const close = useContext(Closing);
  return (isOpen) => {
    if (!isOpen) close();
  };
}

/** The actions of a row, which are quiet until they are asked for. */
export function RowMenu({ of, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button kind="quiet" aria-label={`Actions for ${of}`}>
        <span aria-hidden="true">⋯</span>
      </Button>
      <Popover className="popover" placement="bottom end">
        <Dialog className="row-menu" aria-label={`Actions for ${of}`}>
          <Closing value={() => setOpen(false)}>{children}</Closing>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
