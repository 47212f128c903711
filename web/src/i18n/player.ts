/** Brings the texts of the players; imported by whatever uses one of them. */
import { learn } from '.';
import { enPlayer } from './en.player';

learn(enPlayer);
