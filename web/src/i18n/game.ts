/** Brings the texts of games; imported by whatever uses one of them. */
import { learn } from '.';
import { enGame } from './en.game';

learn(enGame);
