import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createKeyPair } from '../../src/reference-service/proxies.ts';
import { type Disk, failWith } from './disk.ts';
import { type Fault, whileOff } from './fault.ts';

type Begin = Fault['begin'];
type Expected = Pick<Fault, 'wasDefect' | 'isStop' | 'isForOwner' | 'lost' | 'world'> & {
  readonly reason?: string;
};

const small = { hasOwnDisk: true } as const;

/** Writes until the disk takes no more; what is written is removed in the end. */
const fills =
  (fill: (disk: Disk) => Promise<void>): Begin =>
  async ({ disk }) => {
    await fill(disk);
    return () => rm(disk.path('filler'), { recursive: true });
  };

const fillsSpace = fills(({ path }) =>
  writeFile(path('filler'), Buffer.alloc(1024 * 1024)).catch(() => undefined),
);

const fillsInodes = fills(async ({ path }) => {
  await mkdir(path('filler'));
  const write = (number: number) => writeFile(join(path('filler'), `${number}`), '');
  let isFull = false;
  for (let number = 0; !isFull; number += 1)
    isFull = await write(number).then(
      () => false,
      () => true,
    );
});

const turnsReadOnly: Begin = async ({ disk }) => {
  disk.mount('-o', 'remount,ro');
  return () => disk.mount('-o', 'remount,rw');
};

const meddles =
  (act: Parameters<Disk['meddle']>[0]): Begin =>
  async ({ disk }) => {
    disk.meddle(act);
    return () => disk.meddle(undefined);
  };

const vanishes: Begin = async ({ disk }) => {
  await rename(disk.directory, `${disk.directory}-gone`);
  return async () => {
    await rm(disk.directory, { recursive: true, force: true });
    await rename(`${disk.directory}-gone`, disk.directory);
  };
};

const stalls: Begin = async ({ disk }) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  disk.meddle((act) => (act === 'sync' ? promise : undefined));
  return () => {
    disk.meddle(undefined);
    resolve();
  };
};

/** A renewal brings another key, and the other end of the tunnel takes no other from then on. */
const getsNewKey =
  (begin: Begin): Begin =>
  async (world) => {
    const end = await begin(world);
    const fresh = createKeyPair();
    world.otherEnd.key = fresh.privateKey.reveal();
    world.front.behave((_, __, passOn) =>
      passOn((text) =>
        text
          .replace(/(PrivateKey = )[\w+/=]+/, `$1${world.otherEnd.key}`)
          .replace(/("client_private_key": ?")[^"]+/, `$1${world.otherEnd.key}`)
          .replace(/("client_public_key": ?")[^"]+/, `$1${fresh.publicKey}`),
      ),
    );
    return end;
  };

const disks: readonly (readonly [
  name: string,
  reason: string | undefined,
  begin: Begin,
  expected?: Expected,
])[] = [
  ['no space is left', 'state-unwritable', fillsSpace, { world: small }],
  ['no inode is left', 'state-unwritable', fillsInodes, { world: small }],
  ['it turned read-only', 'state-unwritable', turnsReadOnly, { world: small }],
  [
    'it is read-only, and the service gives a new key',
    'state-unwritable',
    getsNewKey(turnsReadOnly),
    { world: small, wasDefect: true },
  ],
  ['I/O errors when writing', 'state-unwritable', meddles(failWith('EIO'))],
  [
    'I/O errors when reading',
    'state-unreadable',
    meddles(failWith('EIO', ['read'])),
    { wasDefect: true },
  ],
  [
    'no right to the directory',
    'state-unreadable',
    meddles(failWith('EACCES', ['open', 'read', 'change'])),
  ],
  ['the directory vanished', 'state-unwritable', vanishes, { wasDefect: true }],
  ['writes that do not end', 'state-unwritable', stalls, { wasDefect: true }],
];

/** What is otherwise where the device has to start on it: nothing is in memory. */
const expectedAtStart: Readonly<Record<string, Expected>> = {
  'I/O errors when reading': { isStop: true },
  // Its lock cannot be taken: it ends, and systemd starts it again.
  'no right to the directory': { isStop: true, reason: 'state-unwritable' },
  // Come back, it is the same client; but what it knew was read at the start.
  'the directory vanished': {
    isStop: true,
    reason: 'signed-out',
    lost: ['the mode set by hand', 'the count'],
  },
  'writes that do not end': { wasDefect: true },
};

/** In the state directory while the agent runs, and at a start. */
export const diskRows: readonly Fault[] = [
  ...disks.map(([name, reason, begin, expected]) => ({
    where: 'disk' as const,
    name,
    reason,
    begin,
    ...expected,
  })),
  ...disks.map(([name, reason, begin, expected]) => ({
    where: 'disk at a start' as const,
    name,
    reason,
    isAfterPowerCut: true,
    ...expected,
    ...expectedAtStart[name],
    wasDefect: name === 'it is read-only, and the service gives a new key',
    begin: whileOff(begin),
  })),
];
