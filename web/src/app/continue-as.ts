/** Continues in another form of a title. Its code loads at the first use. */
import type { App } from './context';

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
