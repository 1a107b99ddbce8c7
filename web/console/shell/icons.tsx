import {
  BookOpen,
  CircleUser,
  FolderTree,
  House,
  Layers,
  type LucideIcon,
  Menu,
  Monitor,
  Moon,
  Play,
  Search,
  Settings,
  ShieldCheck,
  Sun,
  Users,
} from 'lucide-react';

const icons = {
  Home: House,
  Workspaces: Layers,
  Projects: FolderTree,
  Runs: Play,
  Access: Users,
  Policy: ShieldCheck,
  Settings,
  menu: Menu,
  search: Search,
  reference: BookOpen,
  account: CircleUser,
  light: Sun,
  dark: Moon,
  system: Monitor,
} as const satisfies Readonly<Record<string, LucideIcon>>;

type IconName = keyof typeof icons;

/** A picture next to words that say the same: screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  const Shown = icons[name];
  return <Shown aria-hidden="true" className="icon" size={18} strokeWidth={1.75} />;
}
