import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import type { Fault } from './fault.ts';
import type { FaultsWorld } from './world.ts';

/** The documents of the state directory; `usage.json` counts against a cap, too. */
const files: readonly (readonly [name: string, world?: Fault['world']])[] = [
  ['identity.json'],
  ['registration.json'],
  ['network-jwt.json'],
  ['pending-create.json'],
  ['usage.json'],
  ['usage.json of a cap', { hasCap: true }],
  ['override.json'],
  ['confirmed-mode.json'],
  ['restore.json'],
];

const damages: readonly (readonly [how: string, damage: (path: string) => Promise<unknown>])[] = [
  ['damaged', (path) => change(path, (text) => text.replace('"data": {', '"data": {"x": 1,'))],
  ['cut in half', (path) => change(path, (text) => text.slice(0, text.length / 2))],
  ['empty', (path) => change(path, () => '')],
  ['missing', (path) => rm(path, { force: true })],
  [
    'a FIFO',
    async (path) => {
      await rm(path, { force: true });
      execFileSync('mkfifo', ['-m', '600', path]);
    },
  ],
];

/** One that was never written is damaged too. */
async function change(path: string, toText: (text: string) => string): Promise<void> {
  await writeFile(path, toText(await readFile(path, 'utf8').catch(() => '{"data": {')), {
    mode: 0o600,
  });
}

type Expected = Partial<Pick<Fault, 'wasDefect' | 'reason' | 'isStop' | 'isForOwner' | 'lost'>>;

/** Until the owner has removed it. */
const isUnreadable = { reason: 'state-unreadable', isStop: true };
const broken = ['damaged', 'cut in half', 'empty'];

/** What does harm where the device has to start on it. */
const harmAtStart: readonly (readonly [
  name: string,
  hows: readonly string[],
  expected: Expected,
])[] = [
  // The registration has the device's own token too.
  ['network-jwt.json', ['damaged', 'missing'], { wasDefect: true }],
  ['network-jwt.json', ['a FIFO'], { ...isUnreadable, wasDefect: true }],
  ['identity.json', ['a FIFO'], isUnreadable],
  ['registration.json', ['a FIFO'], isUnreadable],
  ['pending-create.json', ['a FIFO'], isUnreadable],
  ['usage.json', [...broken, 'missing'], { lost: ['the count'] }],
  ['usage.json', ['a FIFO'], { ...isUnreadable, lost: ['the count'] }],
  ['usage.json of a cap', [...broken, 'a FIFO'], { ...isUnreadable, lost: ['the count'] }],
  ['usage.json of a cap', ['missing'], { lost: ['the count'] }],
  ['override.json', [...broken, 'a FIFO'], { ...isUnreadable, lost: ['the mode set by hand'] }],
  ['override.json', ['missing'], { lost: ['the mode set by hand'] }],
];

/** What does harm while the agent runs. */
const harm: typeof harmAtStart = [
  ['identity.json', ['a FIFO'], { reason: 'state-unreadable' }],
  ['network-jwt.json', ['a FIFO'], { reason: 'state-unreadable' }],
  ['network-jwt.json', ['damaged', 'missing'], { wasDefect: true }],
];

/** Each file, broken in each way, while the agent runs and at a start. */
export const fileRows: readonly Fault[] = [false, true].flatMap((isAfterPowerCut) =>
  files.flatMap(([name, world]) =>
    damages.map(([how, damage]) => {
      const harms = isAfterPowerCut ? harmAtStart : harm;
      const [, , expected] =
        harms.find(([file, hows]) => file === name && hows.includes(how)) ?? [];
      return {
        where: isAfterPowerCut ? ('file at a start' as const) : ('file' as const),
        name: `${name}: ${how}`,
        reason: undefined,
        world,
        isAfterPowerCut,
        begin: (own: FaultsWorld) =>
          spoil(own, { path: own.disk.path(name.replace(/ .*/, '')), damage, isAfterPowerCut }),
        ...expected,
      };
    }),
  ),
);

interface Spoiling {
  readonly path: string;
  readonly damage: (path: string) => Promise<unknown>;
  readonly isAfterPowerCut: boolean;
}

/** In the end the owner does what status says: a file that it names is removed. */
async function spoil(world: FaultsWorld, { path, damage, isAfterPowerCut }: Spoiling) {
  if (isAfterPowerCut) await world.cutPower(() => damage(path));
  else await damage(path);
  return async () => {
    if (world.report().reasons.some(({ message }) => message.includes(path)))
      await rm(path, { force: true });
  };
}
