/** Other forms of a title: their names, and continuing in one of them, whose code loads at the first use. */
import type { Card, ContinueEntry } from '../api/models';
import type { App } from './context';

export interface OtherForm {
  id: number;
  icon: string;
  /** Name of its kind or subkind. */
  label: string;
}

/** Returns the other forms of an entry. Of several forms with one name it returns the first. */
export function otherForms(kinds: App['kinds'], item: Card, forms: ContinueEntry['forms']): OtherForm[] {
  const found = new Map<string, OtherForm>();
  for (const { item_id: id, kind, subkind } of forms) {
    if (kind === item.kind && subkind === item.subkind) continue;
    const { icon, label: name } = kinds.describe(kind);
    const label = kinds.subkindOf({ kind, subkind })?.label ?? name;
    if (!found.has(label)) found.set(label, { id, icon, label });
  }
  return [...found.values()];
}

/**
 * Opens the form `to` at the position that corresponds to the progress in the item `from`. If that is only an estimate,
 * the page of the form opens: it states that, and asks. The page also shows errors.
 */
export async function continueAs(app: App, from: { id: number }, to: number): Promise<void> {
  const page = `/items/${to}`;
  try {
    const { findDestination, goTo } = await import('./hand-over');
    const destination = await findDestination(app, from, to);
    if (destination && !destination.isEstimate) goTo(app, destination);
    else app.router.navigate(destination ? `${page}?from=${from.id}` : page);
  } catch {
    app.router.navigate(page);
  }
}
