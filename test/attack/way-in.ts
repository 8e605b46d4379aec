import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const unit = readFileSync(
  join(import.meta.dirname, '../../systemd/tributary.service'),
  'utf8',
).replaceAll('\\\n', ' ');

/** What a unit without any capability starts with, and cannot get rid of. */
export const withoutRights = [
  'setpriv',
  '--bounding-set=-all',
  '--inh-caps=-all',
  '--ambient-caps=-all',
  '--no-new-privs',
] as const;

/** How the unit has the agent's user namespace entered, word by word. */
export const wayIn: readonly string[] = (/set -- (nsenter .*?);/.exec(unit)?.[1] ?? 'false')
  .replace('$$own', '/run/tributary-userns/user')
  .split(/\s+/);
