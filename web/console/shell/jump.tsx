import { useEffect, useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components';
import { useLocation } from 'wouter';
import { Button } from '../parts/button.tsx';
import { Icon } from './icons.tsx';
import { usePlaces } from './places.ts';

const isShortcut = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey;

/** Finds a page by a part of its name, and leads there. Ctrl K or ⌘ K opens it. */
export function Jump({ organization }: { readonly organization: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if (!isShortcut(event)) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, []);
  return (
    <>
      <Button kind="menu" aria-keyshortcuts="Control+K Meta+K" onPress={() => setOpen(true)}>
        <Icon name="search" /> <span className="wide">Search</span> <kbd className="wide">Ctrl K</kbd>
      </Button>
      <ModalOverlay isOpen={isOpen} onOpenChange={setOpen} isDismissable className="overlay jump-overlay">
        <Modal className="modal">
          <Dialog className="dialog jump" aria-label="Search and jump">
            <Places organization={organization} close={() => setOpen(false)} />
          </Dialog>
        </Modal>
      </ModalOverlay>
    </>
  );
}

interface Props {
  readonly organization: string | undefined;
  readonly close: () => void;
}

function Places({ organization, close }: Props) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const { groups, isPending } = usePlaces(organization, text);
  const go = (href: string): void => {
    close();
    navigate(href);
  };
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <SearchField autoFocus aria-label="Workspace, team, person, policy set, page or id of a run" className="field">
        <Input placeholder="Workspace, team, person, policy set, page, run id" />
      </SearchField>
      <Menu
        className="menu jump-menu"
        aria-label="Places"
        onAction={(href) => go(String(href))}
        renderEmptyState={() => <p className="quiet">{isPending ? 'Searching…' : 'Nothing has this name.'}</p>}
      >
        {groups.map(({ title, places }) => (
          <MenuSection key={title}>
            <Header className="jump-title">{title}</Header>
            {places.map(({ href, label }) => (
              <MenuItem key={href} id={href} textValue={label} className="menu-item">
                {label}
              </MenuItem>
            ))}
          </MenuSection>
        ))}
      </Menu>
    </Autocomplete>
  );
}
