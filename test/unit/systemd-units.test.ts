import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { credentialNames } from '../../src/config/credential-names.ts';

const read = (name: string) => readFileSync(new URL(`../../systemd/${name}`, import.meta.url), 'utf8').split('\n');

test('each secret can be a file in /etc/tributary, and none has to be', () => {
  const lines = read('tributary.service').filter((line) => /^(Load|Set)Credential=/.test(line));
  expect(lines).toEqual(
    Object.values(credentialNames)
      .map(({ systemd }) => systemd)
      .sort()
      .flatMap((name) => [`LoadCredential=${name}:/etc/tributary/${name}`, `SetCredential=${name}:\\n`]),
  );
});

test('nobody is ever given up: neither unit of the agent has a limit to its starts', () => {
  for (const name of ['tributary.service', 'user/tributary.service']) {
    expect(read(name)).toEqual(expect.arrayContaining(['StartLimitIntervalSec=0', 'Restart=always']));
  }
});
