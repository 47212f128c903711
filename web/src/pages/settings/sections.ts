/** The sections of the settings, with the required role. */
import type { Key } from '../../i18n';
import type { IconName } from '../../components/ui/icons';
import { key } from './apps/icons';

export interface Section {
  id: string;
  text: Key;
  /** Name of an icon, or the path data of one that only the settings show. */
  icon: IconName | { path: string };
  admin: boolean;
}

export const sections: readonly Section[] = [
  { id: 'device', text: 'settings.device', icon: 'device', admin: false },
  { id: 'account', text: 'settings.account', icon: 'user', admin: false },
  { id: 'dashboard', text: 'settings.dashboard', icon: 'gauge', admin: true },
  { id: 'apps', text: 'settings.apps', icon: { path: key }, admin: false },
  { id: 'libraries', text: 'settings.libraries', icon: 'folder', admin: true },
  { id: 'metadata', text: 'settings.metadata', icon: 'search', admin: true },
  { id: 'users', text: 'settings.users', icon: 'users', admin: true },
  { id: 'games', text: 'settings.games', icon: 'play', admin: true },
  { id: 'missing', text: 'settings.missing', icon: 'missing', admin: true },
  { id: 'jobs', text: 'settings.jobs', icon: 'jobs', admin: true },
  { id: 'import', text: 'settings.import', icon: 'download', admin: true },
  { id: 'about', text: 'settings.about', icon: 'info', admin: true },
];
