import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button } from '../parts/button.tsx';
import { type Theme, theme } from '../parts/theme.ts';
import { Icon } from './icons.tsx';

const themes: readonly { readonly id: Theme; readonly label: string }[] = [
  { id: 'system', label: 'As the system' },
  { id: 'light', label: 'Light' },
  { id: 'dark', label: 'Dark' },
];

export function ThemeMenu() {
  const current = theme.useValue();
  return (
    <MenuTrigger>
      <Button kind="menu" aria-label="Theme">
        <Icon name={current} />
      </Button>
      <Popover className="popover">
        <Menu
          className="menu"
          aria-label="Theme"
          selectionMode="single"
          disallowEmptySelection
          selectedKeys={[current]}
          onAction={(id) => theme.set(id as Theme)}
        >
          {themes.map(({ id, label }) => (
            <MenuItem key={id} id={id} className="menu-item">
              {label}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
