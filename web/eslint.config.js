import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

// Plain http has none of these: lib/env.ts wraps each with its fallback.
const secureContextOnly = [
  { object: 'crypto', property: 'subtle', message: 'Missing on plain http.' },
  { object: 'crypto', property: 'randomUUID', message: 'Missing on plain http: use lib/env.ts.' },
  { object: 'navigator', property: 'clipboard', message: 'Missing on plain http: use lib/env.ts.' },
  { object: 'navigator', property: 'serviceWorker', message: 'Missing on plain http.' },
  { object: 'navigator', property: 'wakeLock', message: 'Missing on plain http.' },
  { object: 'navigator', property: 'locks', message: 'Missing on plain http.' },
];

export default ts.config(
  { ignores: ['**/dist/', '**/node_modules/', '**/screenshots/', '**/schema.d.ts'] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  { languageOptions: { globals: { ...globals.browser } } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {
      parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig },
    },
  },
  {
    files: ['**/*.config.*', '**/scripts/**', '**/test/**', '**/tests/browser/**'],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
  {
    files: ['**/src/**'],
    rules: { 'no-restricted-properties': ['error', ...secureContextOnly] },
  },
  {
    rules: {
      'no-undef': 'off',
      // Maps and addresses here are plain on purpose; what the page follows is $state.
      'svelte/prefer-svelte-reactivity': 'off',
      // The router is our own: links are plain paths, there is no SvelteKit to resolve them.
      'svelte/no-navigation-without-resolve': 'off',
    },
  },
);
