/** Adds the texts of the dashboard; imported by each file that uses one of them. */
import { register } from '..';
import { enDashboard } from '../reports/en.dashboard';

register(enDashboard, { de: async () => (await import('../reports/de.dashboard')).deDashboard });
