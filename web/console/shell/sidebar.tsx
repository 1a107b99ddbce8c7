import { useId, useState } from 'react';
import { Dialog, Menu, MenuItem, MenuTrigger, Modal, ModalOverlay, Popover } from 'react-aria-components';
import { Link, useLocation } from 'wouter';
import { addresses } from '../addresses.ts';
import { Button } from '../parts/button.tsx';
import type { Entry } from '../sections.ts';
import { Icon } from './icons.tsx';
import { useOfferedSections } from './offered-sections.ts';

interface Props {
  readonly organization: string;
  /** Called when a link was followed. */
  readonly onFollow?: () => void;
}

/** The sections of an organization that the caller may use, those of one subject together. */
function Sections({ organization, onFollow }: Props) {
  const [location] = useLocation();
  const offered = useOfferedSections(organization);
  const id = useId();
  const link = ({ path, label, name }: (typeof offered)[number], icon?: Entry) => {
    const href = addresses.inOrganization(organization, path);
    const isCurrent = location === href || (path !== '' && location.startsWith(`${href}/`));
    return (
      <li key={path}>
        <Link href={href} aria-label={name} aria-current={isCurrent ? 'page' : undefined} onClick={() => onFollow?.()}>
          {icon && <Icon name={icon} />}
          {label}
        </Link>
      </li>
    );
  };
  return (
    <nav aria-label="Organization" className="sections">
      <ul>
        {[...Map.groupBy(offered, ({ entry }) => entry)].map(([entry, sections]) =>
          sections[0]?.label === entry ? (
            link(sections[0], entry)
          ) : (
            <li key={entry}>
              <span id={id + entry} className="entry">
                <Icon name={entry} />
                {entry}
              </span>
              <ul aria-labelledby={id + entry}>{sections.map((section) => link(section))}</ul>
            </li>
          ),
        )}
      </ul>
    </nav>
  );
}

/** The same as icons: those of one subject are in a menu. */
function Rail({ organization }: Props) {
  const [location] = useLocation();
  const offered = useOfferedSections(organization);
  const hrefOf = (path: string) => addresses.inOrganization(organization, path);
  const isCurrent = (path: string) =>
    location === hrefOf(path) || (path !== '' && location.startsWith(`${hrefOf(path)}/`));
  return (
    <nav aria-label="Organization" className="sections">
      <ul>
        {[...Map.groupBy(offered, ({ entry }) => entry)].map(([entry, sections]) => (
          <li key={entry}>
            {sections[0]?.label === entry ? (
              <Link
                href={hrefOf(sections[0].path)}
                aria-label={sections[0].name ?? entry}
                title={entry}
                aria-current={isCurrent(sections[0].path) ? 'page' : undefined}
              >
                <Icon name={entry} />
              </Link>
            ) : (
              <MenuTrigger>
                <Button
                  kind="quiet"
                  aria-label={entry}
                  data-current={sections.some(({ path }) => isCurrent(path)) || undefined}
                >
                  <Icon name={entry} />
                </Button>
                <Popover className="popover" placement="end top">
                  <Menu className="menu" aria-label={entry}>
                    {sections.map(({ path, label }) => (
                      <MenuItem key={path} href={hrefOf(path)} className="menu-item">
                        {label}
                      </MenuItem>
                    ))}
                  </Menu>
                </Popover>
              </MenuTrigger>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Next to the page where there is room: with words, or as icons where there is less. */
export const Sidebar = ({ organization }: Props) => (
  <>
    <div className="sidebar">
      <Sections organization={organization} />
    </div>
    <div className="sidebar rail">
      <Rail organization={organization} />
    </div>
  </>
);

/** Over the page on a narrow screen, where a button opens it. */
export function Drawer({ organization }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="drawer-button">
      <Button kind="menu" aria-label="Menu" onPress={() => setOpen(true)}>
        <Icon name="menu" />
      </Button>
      <ModalOverlay isOpen={isOpen} onOpenChange={setOpen} isDismissable className="overlay drawer-overlay">
        <Modal className="drawer">
          <Dialog aria-label="Menu" className="dialog">
            <Button onPress={() => setOpen(false)}>Close</Button>
            <Sections organization={organization} onFollow={() => setOpen(false)} />
          </Dialog>
        </Modal>
      </ModalOverlay>
    </div>
  );
}
