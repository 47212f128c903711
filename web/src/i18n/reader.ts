/** Brings the texts of the readers; imported by whatever uses one of them. */
import { learn } from '.';
import { enReader } from './en.reader';

learn(enReader);
