/** Returns the chosen files and resets the input, so that choosing the same files again fires an event. */
export function takeFiles(input: Pick<HTMLInputElement, 'files' | 'value'>): File[] {
  const files = [...(input.files ?? [])]; // the reset empties the list itself
  input.value = '';
  return files;
}
