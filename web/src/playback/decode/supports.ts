/** Answers of this browser about formats. */
import { accepts, hasDecoder, mediaSourceClass } from '../../lib/engines';
import type { Supports } from './decision';

/** Returns true if the browser's media sources accept a type. */
export function appends(mime: string): boolean {
  return mediaSourceClass()?.isTypeSupported(mime) === true;
}

export function browserSupport(): Supports {
  return { decoder: hasDecoder(), plays: accepts, appends };
}
