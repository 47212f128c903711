/** The texts of the forms of a title. */
export const enWorks = {
  'forms.title': 'Forms of this title',
  'forms.this': 'This page',
  'forms.link.title': 'Link another form',
  'forms.link.about': 'Search for the item that is another form of “{title}”.',
  'forms.link.search': 'Search items',
  'forms.link.action': 'Link',
  'forms.link.of': 'Link: {title}, {kind}',
  'forms.link.linked': 'Linked',
  'forms.link.done': 'Linked: {title}',
  'forms.link.none': 'No items found.',
  'forms.unlink': 'Unlink',
  'forms.unlink.of': 'Unlink: {title}, {kind}',
  'forms.unlink.title': 'Unlink this form?',
  'forms.unlink.text':
    '“{title}” is then a separate title. Ledge does not link it to these forms automatically again.',
  'forms.listen': 'Continue listening from here',
  'forms.read': 'Continue reading from here',
  'forms.estimate.title': 'Approximate position',
  'forms.estimate.text':
    'The chapters of the two forms could not be matched. The position is estimated from the share of the whole: {percent}. It can be several pages or minutes away.',
  'forms.estimate.action': 'Continue at {percent}',
} as const;
