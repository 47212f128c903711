/** Names of the roles of people. Providers and files define further roles. */
import { factLabel } from '../../catalogue/fact-lines';
import { t } from '../../i18n';
import '../../i18n/metadata';

/** The role of cast members, who have a row of their own. */
export const CAST = 'actor';

const KNOWN = [
  ...(['actor', 'artist', 'author', 'composer', 'creator', 'director', 'editor', 'illustrator'] as const),
  ...(['narrator', 'performer', 'producer', 'translator', 'writer', 'cinematographer'] as const),
  ...(['colorist', 'conductor', 'developer', 'inker', 'letterer', 'penciller'] as const),
];

/** `director` → `Director`; an unknown role is written like a fact. */
export function roleName(role: string): string {
  const known = KNOWN.find((one) => one === role);
  return known ? t(`role.${known}`) : factLabel(role);
}
