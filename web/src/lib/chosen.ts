/** The files that somebody chose, once: the input is empty again, and tells of the same ones when they are chosen anew. */
export function takeChosen(input: Pick<HTMLInputElement, 'files' | 'value'>): File[] {
  const files = [...(input.files ?? [])]; // the list itself is emptied with its input
  input.value = '';
  return files;
}
