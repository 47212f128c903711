/** Loads the editor of rules with its page. */
import type { Collection } from '../../api/models';
import { LazyComponent } from '../../app/lazy-component.svelte';

export const ruleForm = new LazyComponent<{ collection: Collection | null; rule: unknown }>(
  () => import('./RuleForm.svelte'),
);
