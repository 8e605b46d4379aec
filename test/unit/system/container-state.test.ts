import { expect, test } from 'vitest';
import { explainLostState, judgeMount } from '../../../src/system/container-state.ts';

const folder = '/var/lib/tributary';
const root = '600 540 0:52 / / rw,relatime - overlay overlay rw,lowerdir=/a';
const mount = (from: string, at = folder) =>
  `610 600 8:1 ${from} ${at} rw,relatime - ext4 /dev/sda1 rw`;
const digits = 'ab12'.repeat(16);
const volumes = '/var/lib/docker/volumes';

test.each([
  ['a volume with a name', [root, mount(`${volumes}/tributary/_data`)], 'kept'],
  ['a folder of the host', [root, mount('/srv/tributary')], 'kept'],
  ['a mount above the folder', [root, mount('/srv/lib', '/var/lib')], 'kept'],
  ['a volume without a name', [root, mount(`${volumes}/${digits}/_data`)], 'unnamed'],
  ['no volume at all', [root], 'lost'],
  ['a volume beside it', [root, mount('/srv/x', '/var/lib/tributary-more')], 'lost'],
  [
    'a volume with a name over one without',
    [root, mount(`${volumes}/${digits}/_data`), mount(`${volumes}/tributary/_data`)],
    'kept',
  ],
  ['no list', [], 'kept'],
])('with %s the state is as it says', (_, rows, expected) => {
  expect(judgeMount(rows.join('\n'), folder)).toBe(expected);
});

const looks = (marks: readonly string[], ...rows: readonly string[]) => ({
  isThere: async (path: string) => marks.includes(path),
  read: async () => [root, ...rows].join('\n'),
});

test.each(['/.dockerenv', '/run/.containerenv'])(
  'in the container of %s it is said',
  async (mark) => {
    expect(await explainLostState(folder, looks([mark]))).toMatch(
      /lost with it: it will be a new device.*--volume tributary:\/var\/lib\/tributary$/,
    );
    const unnamed = mount(`${volumes}/${digits}/_data`);
    expect(await explainLostState(folder, looks([mark], unnamed))).toContain('without a name');
    expect(await explainLostState(folder, looks([mark], mount('/srv/a')))).toBeUndefined();
  },
);

test('of a trial nothing is said', async () => {
  expect(await explainLostState('/tmp/trial', looks(['/.dockerenv']))).toBeUndefined();
});

test('on a host nothing is said', async () => {
  expect(await explainLostState(folder, looks([]))).toBeUndefined();
});
