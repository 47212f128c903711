/** Starts select mode: its bar is mounted once, for all pages. */
import { mount } from 'svelte';
import type { App } from '../../app/context';
import SelectBar from './SelectBar.svelte';

let isMounted = false;

/** Mounts the bar, unless it exists. */
export function begin(app: App): void {
  if (isMounted) return;
  isMounted = true;
  mount(SelectBar, { target: document.body, props: { app } });
}
