import { expect, test } from 'vitest';
import { hasStrictRules, type StrictSetting } from '../../../src/gateway/strictness.ts';
import { provideModes } from '../../../src/service/profiles.ts';
import { connectName } from '../../../src/source/connect/device.ts';

const strictModes = (setting: StrictSetting, source: string) =>
  provideModes.filter((mode) => hasStrictRules(setting, { source, mode }));

test.each<readonly [StrictSetting, string, readonly string[]]>([
  ['auto', connectName, ['default', 'public', 'stream']],
  ['auto', 'wireguard', []],
  ['auto', 'program', []],
  ['always', 'connect', provideModes],
  ['always', 'wireguard', provideModes],
  ['never', 'connect', []],
  ['never', 'wireguard', []],
])(
  'with strict_rules: %s the consumers of %s are held to them in the modes %j',
  (setting, source, modes) => {
    expect(strictModes(setting, source)).toEqual(modes);
  },
);
