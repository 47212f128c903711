/** The keys of the video player, with the names that the help shows. */
import { usesKey } from '../../../components/player/shortcuts';
import type { Key } from '../../../i18n';
import '../../../i18n/player';
import type { VideoPlayer } from '../player/player.svelte';

interface Command {
  keys: readonly string[];
  name: Key;
  act: (player: VideoPlayer) => void;
}

export interface Group {
  name: Key;
  commands: readonly Command[];
}

const command = (keys: string | readonly string[], name: Key, act: Command['act']): Command => ({
  keys: typeof keys === 'string' ? [keys] : keys,
  name,
  act,
});

export const GROUPS: readonly Group[] = [
  {
    name: 'player.keys.playback',
    commands: [
      command([' ', 'k'], 'player.keys.toggle', (player) => player.toggle()),
      command(['ArrowLeft', 'j'], 'player.back10', (player) => player.skip(-10)),
      command(['ArrowRight', 'l'], 'player.forward10', (player) => player.skip(10)),
      command(',', 'player.keys.frameBack', (player) => player.step(-1)),
      command('.', 'player.keys.frameForward', (player) => player.step(1)),
      command('Home', 'player.keys.start', (player) => player.seek(0)),
      command('End', 'player.keys.end', (player) => player.seek(player.length)),
      command('PageUp', 'player.previousChapter', (player) => player.chapterStep(-1)),
      command('PageDown', 'player.nextChapter', (player) => player.chapterStep(1)),
      command('s', 'player.keys.skip', (player) => player.skipSegment()),
      command('n', 'player.nextEpisode', (player) => player.next()),
      command('<', 'player.keys.slower', (player) => player.faster(-1)),
      command('>', 'player.keys.faster', (player) => player.faster(1)),
      command('r', 'player.loop', (player) => player.toggleLoop()),
      command('b', 'player.section', (player) => player.mark()),
    ],
  },
  {
    name: 'player.keys.soundAndPicture',
    commands: [
      command('ArrowUp', 'player.keys.louder', (player) => player.louder(0.1)),
      command('ArrowDown', 'player.keys.quieter', (player) => player.louder(-0.1)),
      command('m', 'player.mute', (player) => player.mute()),
      command('f', 'player.fullscreen', (player) => player.fullscreen()),
      command('p', 'player.pip', (player) => player.pip()),
    ],
  },
  {
    name: 'player.subtitles',
    commands: [
      command('c', 'player.keys.subtitles', (player) => player.toggleSubtitles()),
      command('g', 'player.keys.earlier', (player) => player.shiftSubtitles(-0.1)),
      command('h', 'player.keys.later', (player) => player.shiftSubtitles(0.1)),
      command('t', 'player.tracks', (player) => (player.panel = 'tracks')),
      command('/', 'player.search', (player) => {
        if (player.tracks.texts.length > 0) player.panel = 'search';
      }),
    ],
  },
  {
    name: 'player.keys.page',
    commands: [
      command('o', 'player.options', (player) => (player.panel = 'options')),
      command('?', 'player.keys', (player) => (player.panel = 'help')),
      command('Escape', 'player.keys.close', (player) => {
        if (!document.fullscreenElement) player.leave();
      }),
    ],
  },
];

const BY_KEY = new Map(
  GROUPS.flatMap(({ commands }) => commands.flatMap((one) => one.keys.map((key) => [key, one] as const))),
);

/** Performs the action of a key, unless the focused control uses the key itself. */
export function press(player: VideoPlayer, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (usesKey(event.target as HTMLElement, event.key)) return;
  const act = BY_KEY.get(event.key)?.act ?? tenth(event.key);
  if (!act) return;
  event.preventDefault();
  act(player);
}

/** Digits seek to tenths of the film. */
function tenth(key: string): Command['act'] | null {
  if (!/^\d$/.test(key)) return null;
  return (player) => player.seek((Number(key) / 10) * player.length);
}
