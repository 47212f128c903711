/** The ways in which a film can play here, and the present one. */
import type { Decision, PlayableWay } from '../../../playback/decode/decision';

export interface Ways {
  readonly ways: readonly PlayableWay[];
  readonly decision: Decision;
  /** The element that shows the picture; null without a film. */
  readonly screen: HTMLVideoElement | HTMLCanvasElement | null;
  /** Plays the film in another way; null selects it automatically. */
  choose(way: PlayableWay | null): void;
}
