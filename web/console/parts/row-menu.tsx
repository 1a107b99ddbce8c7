import { createContext, type ReactNode, useContext, useState } from 'react';
import { DialogTrigger, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button } from './button.tsx';

interface Props {
  /** The name of the thing in the row. */
  readonly of: string;
  /** Actions: `Confirm`, `FormDialog` and `MenuAction`. */
  readonly children: ReactNode;
}

/**
 * The actions of a menu are rendered twice: as its items, and next to it, where each has its dialog. A dialog must outlast
 * the menu, which closes when an item is chosen.
 */
interface Place {
  readonly isMenu: boolean;
  /** The action whose dialog is open. */
  readonly opened: string | undefined;
  readonly open: (action: string | undefined) => void;
}

const InMenu = createContext<Place | undefined>(undefined);

/** The actions of a row, which are quiet until they are asked for. */
export function RowMenu({ of, children }: Props) {
  const [opened, open] = useState<string>();
  return (
    <>
      <MenuTrigger>
        <Button kind="quiet" aria-label={`Actions for ${of}`}>
          <span aria-hidden="true">⋯</span>
        </Button>
        <Popover className="popover" placement="bottom end">
          <InMenu value={{ isMenu: true, opened, open }}>
            <Menu className="menu" aria-label={`Actions for ${of}`}>
              {children}
            </Menu>
          </InMenu>
        </Popover>
      </MenuTrigger>
      <InMenu value={{ isMenu: false, opened, open }}>{children}</InMenu>
    </>
  );
}

interface ActionProps {
  readonly label: string;
  /** Its name for screen readers, if the label is not unique on the page. */
  readonly name?: string | undefined;
  readonly onAction: () => void;
}

/** An action of a menu that needs no dialog. */
export const MenuAction = ({ label, name, onAction }: ActionProps) =>
  useContext(InMenu)?.isMenu && (
    <MenuItem
      id={name ?? label}
      textValue={label}
      className="menu-item"
      onAction={onAction}
      {...(name !== undefined && { 'aria-label': name })}
    >
      {label}
    </MenuItem>
  );

interface Opening {
  readonly isOpen?: boolean;
  readonly onOpenChange?: (isOpen: boolean) => void;
}

interface OpenerProps {
  /** The label of the button or item. */
  readonly trigger: string;
  readonly triggerName?: string | undefined;
  readonly kind: 'main' | 'plain' | 'danger';
  /** The dialog, which takes these properties. */
  readonly children: (opening: Opening) => ReactNode;
}

/** Opens a dialog: a button, or an item if it stands in a menu. */
export function Opener({ trigger, triggerName, kind, children }: OpenerProps) {
  const place = useContext(InMenu);
  if (place === undefined) {
    return (
      <DialogTrigger>
        <Button kind={kind} aria-label={triggerName}>
          {trigger}
        </Button>
        {children({})}
      </DialogTrigger>
    );
  }
  const action = triggerName ?? trigger;
  if (place.isMenu) return <MenuAction label={trigger} name={triggerName} onAction={() => place.open(action)} />;
  return (
    // The buttons of the dialog do not stand in the menu.
    <InMenu value={undefined}>
      {children({
        isOpen: place.opened === action,
        onOpenChange: (isOpen) => place.open(isOpen ? action : undefined),
      })}
    </InMenu>
  );
}
