/**
 * The script of a game's frame: a bare libretro core. It receives all data over one message port. Removing the frame is
 * the only clean way to end such a core.
 */
import { Buttons } from './buttons';
import {
  LINE,
  READY,
  type Ask,
  type Asks,
  type FromFrame,
  type GameFile,
  type Start,
  type ToFrame,
} from './messages';

interface Core {
  FS: {
    writeFile(path: string, bytes: Uint8Array | string): void;
    readFile(path: string): Uint8Array<ArrayBuffer>;
    unlink(path: string): void;
    mkdirTree(path: string): void;
    analyzePath(path: string): { exists: boolean };
  };
  HEAPU8: Uint8Array;
  cwrap(name: string, result: string | null, parameters: string[]): (...given: unknown[]) => unknown;
  callMain(given: string[]): void;
  resumeMainLoop(): void;
}

declare global {
  /** Returns the remaining saves at once, for the page that removes the frame. */
  var ledgeGrab: () => { state: Uint8Array<ArrayBuffer> | null; battery: Uint8Array<ArrayBuffer> | null };
  var EJS_Runtime: ((settings: Record<string, unknown>) => Promise<Core>) | undefined;
}

const SAVES = '/saves';
const SETTINGS = [
  'screenshot_directory = "/"',
  'video_gpu_screenshot = "false"',
  'video_vsync = "true"',
  'video_smooth = "false"',
  'audio_latency = "64"',
  'block_sram_overwrite = "false"',
  `savefile_directory = "${SAVES}"`,
  'system_directory = "/system"',
  'sort_savefiles_enable = "false"',
  'sort_savefiles_by_content_enable = "false"',
  'input_driver = "null"',
  'menu_driver = "null"',
  'notification_show_when_menu_is_alive = "false"',
  'video_font_enable = "false"',
].join('\n');

let line: MessagePort | undefined;
const say = (message: FromFrame, transfer: Transferable[] = []) => line?.postMessage(message, transfer);

// All sound passes through this node, so that there is one volume.
const sounds: { context: AudioContext; gain: GainNode }[] = [];
let volume = 1;
class Sound extends AudioContext {
  constructor(options?: AudioContextOptions) {
    super(options);
    const gain = this.createGain();
    gain.gain.value = volume;
    gain.connect(super.destination);
    Object.defineProperty(this, 'destination', { value: gain });
    sounds.push({ context: this, gain });
  }
}
globalThis.AudioContext = Sound;

function setVolume(to: number): void {
  volume = to;
  for (const { context, gain } of sounds) {
    gain.gain.value = to;
    if (to > 0 && context.state === 'suspended') void context.resume().catch(() => {});
  }
}

let core: Core | undefined;
const call = (name: string, result: string | null, parameters: string[] = [], ...given: unknown[]) => {
  if (!core) throw new Error('There is no game yet.');
  return core.cwrap(name, result, parameters)(...given);
};

function put(folder: string, { name, bytes }: GameFile): void {
  core?.FS.mkdirTree(folder);
  core?.FS.writeFile(`${folder}/${name}`, bytes);
}

async function start(given: Start): Promise<void> {
  const canvas = document.querySelector('canvas');
  if (!canvas) throw new Error('There is no screen.');
  volume = given.volume;
  await loadScript(given.script);
  if (!globalThis.EJS_Runtime) throw new Error('The core is not one that runs here.');
  core = await globalThis.EJS_Runtime({
    canvas,
    parent: canvas.parentElement,
    callbacks: {},
    noInitialRun: true,
    wasmBinary: given.wasm,
    locateFile: (name: string) => name,
    getSavExt: () => '.srm',
    print: () => {},
    printErr: () => {},
    onAbort: (reason: unknown) => say({ trouble: String(reason) }),
  });
  const { FS } = core;
  FS.mkdirTree('/home/web_user/.config/retroarch');
  FS.writeFile('/home/web_user/.config/retroarch/retroarch.cfg', `${SETTINGS}\n`);
  for (const file of given.bios) put('/system', file);
  for (const file of [given.game, ...given.companions]) put('/game', file);
  const stem = given.game.name.replace(/\.[^.]*$/, '');
  if (given.battery) put(SAVES, { name: `${stem}.srm`, bytes: given.battery });
  core.callMain([`/game/${given.game.name}`]);
  core.resumeMainLoop();
  if (given.battery) placeBattery(given.battery);
}

/** Some cores keep the battery memory elsewhere: write it there, and restart the game with it. */
function placeBattery(bytes: Uint8Array): void {
  const path = String(call('save_file_path', 'string') ?? '');
  if (path === '' || !core || core.FS.analyzePath(path).exists) return;
  core.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
  core.FS.writeFile(path, bytes);
  call('refresh_save_files', null);
  call('system_restart', null);
}

function loadScript(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = url;
    script.onload = () => resolve();
    script.onerror = () => reject(new Error('The script of the core does not load.'));
    document.head.append(script);
  });
}

function state(): Uint8Array<ArrayBuffer> {
  const [size = '0', at = '0', well] = String(call('save_state_info', 'string')).split('|');
  if (well !== '1' || !core) throw new Error('This core cannot save now.');
  return core.HEAPU8.slice(Number(at), Number(at) + Number(size)) as Uint8Array<ArrayBuffer>;
}

function load(bytes: Uint8Array): void {
  core?.FS.writeFile('/game.state', bytes);
  call('load_state', 'number', ['string', 'number'], 'game.state', 0);
}

function battery(): Uint8Array<ArrayBuffer> | null {
  call('cmd_savefiles', null);
  const path = String(call('save_file_path', 'string') ?? '');
  if (path === '' || !core?.FS.analyzePath(path).exists) return null;
  return copied(core.FS.readFile(path));
}

/** Returns the screen as a PNG, which the core writes with its next frame. */
async function picture(patience: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!core) return null;
  const { FS } = core;
  const path = '/screenshot.png';
  if (FS.analyzePath(path).exists) FS.unlink(path);
  call('cmd_take_screenshot', null);
  const until = performance.now() + patience;
  while (performance.now() < until) {
    if (FS.analyzePath(path).exists) {
      const bytes = FS.readFile(path);
      // The last chunk marks a complete file.
      if (new TextDecoder('latin1').decode(bytes.slice(-8, -4)) === 'IEND') return copied(bytes);
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return null;
}

const copied = (bytes: Uint8Array) => new Uint8Array(bytes);

globalThis.ledgeGrab = () => {
  const attempt = (take: () => Uint8Array<ArrayBuffer> | null) => {
    try {
      return take();
    } catch {
      return null;
    }
  };
  return { state: attempt(state), battery: attempt(battery) };
};

const answers: { [A in Ask]: (given: Asks[A]['with']) => Asks[A]['answer'] | Promise<Asks[A]['answer']> } = {
  start,
  run: (on) => {
    call('toggleMainLoop', null, ['number'], on ? 1 : 0);
    for (const { context } of sounds) void (on ? context.resume() : context.suspend()).catch(() => {});
  },
  state,
  load,
  battery,
  picture,
  restart: () => void call('system_restart', null),
};

const buttons = new Buttons((player, button, value) =>
  call('simulate_input', null, ['number', 'number', 'number'], player, button, value),
);

async function answer(message: ToFrame): Promise<void> {
  if ('tell' in message) {
    if (message.tell === 'volume') setVolume(message.volume);
    else {
      buttons.change(message.player, message.button, message.value);
    }
    return;
  }
  const { ask, id } = message;
  try {
    const answer = await (answers[ask] as (given: unknown) => unknown)(message.with);
    say({ id, answer }, answer instanceof Uint8Array ? [answer.buffer as ArrayBuffer] : []);
  } catch (error) {
    say({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

addEventListener('message', ({ origin, source, data, ports }) => {
  if (origin !== location.origin || source !== parent || data !== LINE || line) return;
  line = ports[0];
  if (line) line.onmessage = (event: MessageEvent<ToFrame>) => void answer(event.data);
});
for (const type of ['keydown', 'keyup'] as const) {
  // The page handles keys, also after a click into the frame.
  addEventListener(type, (event) => {
    if (event.repeat) return;
    say({ key: event.key, code: event.code, down: type === 'keydown' });
    if (!event.ctrlKey && !event.metaKey && !event.altKey) event.preventDefault();
  });
}
addEventListener('blur', () => say({ blurred: true }));
addEventListener('error', (event) => say({ trouble: event.message }));
addEventListener('unhandledrejection', (event) => say({ trouble: String(event.reason) }));
parent.postMessage(READY, location.origin);
