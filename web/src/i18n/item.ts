/** Brings the texts that the first page does without; imported by whatever uses one of them. */
import { learn } from '.';
import { enItem } from './en.item';

learn(enItem);
