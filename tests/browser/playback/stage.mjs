/** Plays files in a page, and repeats a failed attempt. */
import { enter } from '../harness.mjs';
import { isSilent } from './corpus.mjs';
import { NO_SOUND, observe, recorder } from './observe.mjs';

/** Attempts per file: a busy machine can decode too slowly once. */
const ATTEMPTS = 2;

/** A signed-in page that is replaced after a crash. */
export class Stage {
  #opened = null;
  hasCrashed = false;

  constructor(browser, url, name) {
    this.browser = browser;
    this.url = url;
    this.name = name;
  }

  async page() {
    if (this.#opened && !this.hasCrashed) return this.#opened;
    await this.#opened?.context.close().catch(() => {});
    this.#opened = await enter(this.browser, this.url);
    this.hasCrashed = false;
    this.#opened.page.on('crash', () => (this.hasCrashed = true));
    await this.#opened.page.addInitScript(recorder);
    return this.#opened;
  }
}

async function attempt(stage, row) {
  const { page, complaints } = await stage.page();
  complaints.length = 0;
  try {
    const seen = await observe(page, stage.url + row.address, row.expected);
    return { ...seen, complaints: [...complaints] };
  } catch (error) {
    const reason = stage.hasCrashed ? 'the page crashed' : error.message.split('\n')[0];
    // The next file gets a new page.
    stage.hasCrashed = true;
    return { ways: [], lacks: [reason], message: '', complaints: [...complaints] };
  }
}

/** Firefox counts no bytes of sound, and captured silence proves nothing. Such a file has to play otherwise. */
async function withoutSilence(result, row) {
  const { lacks } = result;
  if (!result.isCaptured || lacks.join() !== NO_SOUND || !(await isSilent(row.path))) return result;
  return { ...result, lacks: [], isSilent: true };
}

export async function play(stage, row) {
  let result;
  for (let attempts = 1; attempts <= ATTEMPTS; attempts += 1) {
    result = { ...(await withoutSilence(await attempt(stage, row), row)), attempts };
    if (result.lacks.length === 0) break;
  }
  return { ...row, ...result, plays: result.lacks.length === 0 };
}

/** Plays all files in a browser. */
export async function playAll(stage, rows, log) {
  const played = [];
  for (const row of rows) {
    const result = await play(stage, row);
    played.push(result);
    const { plays, ways, lacks, message } = result;
    const state = plays
      ? ways.join(' → ')
      : `DOES NOT PLAY: ${[...lacks, message].filter(Boolean).join('; ')}`;
    log(`${played.length}/${rows.length} ${row.name} (${row.format}): ${state}`);
  }
  return played;
}
