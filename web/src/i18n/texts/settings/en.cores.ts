/** The texts of emulator cores in the settings. */
export const enCores = {
  'cores.about':
    'Cores play games in the browser. Releases of Ledge include the free ones. You can add others here if you accept their terms. Added files take precedence.',
  'cores.embedded': 'Included',
  'cores.added': 'Added',
  'cores.missing': 'Missing',
  'cores.incomplete': 'One file is missing',
  'cores.sources': 'Sources',
  'cores.addon': 'Add-on: its licence does not allow Ledge to include it',
  'cores.upload': 'Add files',
  'cores.upload.about':
    'Files of cores are named like {example}; BIOS files as listed below. A core’s script runs in the browser of every user: add only files you trust.',
  'cores.choose': 'Choose files',
  'cores.taken': { one: '{count} file added', other: '{count} files added' },
  'cores.not-script': '{name} is not the script of a core: it defines no EJS_Runtime.',
  'cores.not-wasm': '{name} is not a WebAssembly module.',
  'cores.unknown': '{name} is neither a file of a core nor a known BIOS file.',
  'cores.remove': 'Remove {name}',
  'cores.remove.title': 'Remove {name}?',
  'cores.remove.text': 'It is deleted from this server. Games that need it no longer start.',
  'cores.remove.action': 'Remove',
  'cores.list': 'Cores',
  'cores.bios': 'BIOS files',
  'cores.bios.about': 'Some systems need a BIOS file. Copy it from your own console.',
  'cores.bios.required': 'Needed',
  'cores.bios.optional': 'Optional',
  'cores.bios.other': 'Not the usual version',
} as const;
