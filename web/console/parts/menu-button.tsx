import type { ReactNode } from 'react';
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button } from './button.tsx';

interface Item {
  readonly label: string;
  readonly onAction: () => void;
}

interface Props {
  readonly label: string;
  /** The subject of the label, for screen readers. */
  readonly name: string;
  /** Stands for the label on a narrow screen. */
  readonly icon: ReactNode;
  readonly items: readonly Item[];
}

export const MenuButton = ({ label, name, icon, items }: Props) => (
  <MenuTrigger>
    <Button kind="menu" aria-label={`${name}: ${label}`}>
      {icon} <span className="cut wide">{label}</span> <span aria-hidden="true">▾</span>
    </Button>
    <Popover className="popover">
      <Menu className="menu" aria-label={name}>
        {items.map((item, index) => (
          // The same label may come twice, and the order stays.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <MenuItem key={index} textValue={item.label} className="menu-item" onAction={item.onAction}>
            {item.label}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  </MenuTrigger>
);
