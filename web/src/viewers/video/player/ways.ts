/** The ways in which a film can play here, and the present one. */
import type { Decision, PlayableWay } from '../../../playback/decode/decision';

export interface Ways {
  readonly ways: readonly PlayableWay[];
  readonly decision: Decision;
  /** Plays the film in another way; null selects it automatically. */
  choose(way: PlayableWay | null): void;
}
