/** The picture subtitles that the decoder has read, by time. */
import type { SubtitleCue } from '../../../../playback/decode/protocol';

/** Bytes of pictures in memory: some minutes. A seek back to earlier ones reads them again. */
export const LIMIT = 48 << 20;

export class PictureCues {
  #cues: SubtitleCue[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a cue. `now` is the position of playback: the oldest cues before it are dropped first. */
  add(cue: SubtitleCue, now: number): void {
    if (cue.text !== null) return;
    const at = this.#cues.findLastIndex(({ start }) => start <= cue.start);
    // After an interruption, the decoder repeats the last ones.
    const isRepeated = this.#cues[at]?.start === cue.start;
    for (const replaced of this.#cues.splice(isRepeated ? at : at + 1, isRepeated ? 1 : 0, cue))
      this.#bytes -= bytesOf(replaced);
    this.#bytes += bytesOf(cue);
    while (this.#bytes > LIMIT && this.#cues.length > 1) this.#drop(now);
  }

  /** Returns the cue to show at a time; null for none. A cue ends at the next one at the latest. */
  at(time: number): SubtitleCue | null {
    const cue = this.#cues.findLast(({ start }) => start <= time);
    const isOver = !cue || cue.pictures.length === 0 || (cue.end !== null && cue.end <= time);
    return isOver ? null : cue;
  }

  clear(): void {
    this.#cues = [];
    this.#bytes = 0;
  }

  /** Drops the oldest cue, but not one that is still to be shown: then the farthest one. */
  #drop(now: number): void {
    const isPast = this.#cues[1] !== undefined && this.#cues[1].start <= now;
    const dropped = isPast ? this.#cues.shift() : this.#cues.pop();
    if (dropped) this.#bytes -= bytesOf(dropped);
  }
}

function bytesOf({ pictures }: SubtitleCue): number {
  return pictures.reduce((sum, { data }) => sum + data.byteLength, 0);
}
