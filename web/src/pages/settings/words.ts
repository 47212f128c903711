/** Brings the settings' texts along with their pages: the first page loads without them. */
import { learn } from '../../i18n';
import { enSettings } from '../../i18n/en.settings';

learn(enSettings);
