/** The choices of fields with known values. */
import type { Kinds } from '../../catalogue/kinds.svelte';
import { t } from '../../i18n';
import '../../i18n/lists/grids';
import '../../i18n/lists/rules';
import type { ChoiceSource } from './fields';

export interface Choice {
  id: string;
  text: string;
}

export function choicesOf(source: ChoiceSource, kinds: Pick<Kinds, 'all' | 'libraries'>): Choice[] {
  if (source === 'kind') return kinds.all.map(({ id, label_plural: text }) => ({ id, text }));
  if (source === 'subkind') return subkinds(kinds);
  if (source === 'library')
    return (kinds.libraries.data?.items ?? [])
      .filter(({ granted }) => granted)
      .map(({ id, name }) => ({ id: String(id), text: name }));
  if (source === 'engine')
    return [
      { id: 'html5', text: t('rule.engine.html5') },
      { id: 'web-decode', text: t('rule.engine.decode') },
    ];
  return (['unstarted', 'started', 'finished'] as const).map((id) => ({ id, text: t(`browse.${id}`) }));
}

/** Several kinds can have one subtype. */
function subkinds({ all }: Pick<Kinds, 'all'>): Choice[] {
  const found = new Map<string, string>();
  for (const { id, label_plural: text } of all.flatMap((kind) => kind.subkinds))
    if (!found.has(id)) found.set(id, text);
  return [...found].map(([id, text]) => ({ id, text }));
}
