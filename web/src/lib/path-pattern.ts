/** Path patterns: `/items/:id` against `/items/12`. */

export type Params = Record<string, string>;

/** Returns the parameters of `path` under `pattern`, or null if it does not match. */
export function match(pattern: string, path: string): Params | null {
  const wanted = segments(pattern);
  const given = segments(path);
  if (wanted.length !== given.length) return null;
  const params: Params = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decode(value);
    else if (part !== value) return null;
  }
  return params;
}

/** Returns the first pattern that matches, in the given order. */
export function matchFirst<R extends { pattern: string }>(
  routes: readonly R[],
  path: string,
): { route: R; params: Params } | null {
  for (const route of routes) {
    const params = match(route.pattern, path);
    if (params) return { route, params };
  }
  return null;
}

function segments(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a single % is valid in a name
  }
}
