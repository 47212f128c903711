/** Adds the texts of the statistics and of the year; imported by each file that uses one of them. */
import { register } from '..';
import { enStatistics } from '../reports/en.statistics';

register(enStatistics, { de: async () => (await import('../reports/de.statistics')).deStatistics });
