import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { grantPermit } from '../../src/data-path/permit.ts';
import { type DeniedGroup, renderDenied } from '../../src/gateway/denied.ts';
import {
  badMark,
  deniedMark,
  deniedTableName,
  type GatewayPolicy,
  type RefusalCounter,
  tableName,
} from '../../src/gateway/policy.ts';
import { parseAddressList } from '../../src/system/address-list.ts';
import { applyNft, observeNftOutline } from '../../src/system/nft.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import { waitUntil } from '../patience.ts';
import {
  createGatewayNetwork,
  far,
  type GatewayNetwork,
  tunnelDevice,
  tunnelInterface,
} from './gateway-network.ts';
import { type FirstBytes, ordinaryBytes, sharingBytes } from './support/first-bytes.ts';

/** High ports that the strict rules let through, and some that they do not. */
const ports = { open: 9000, tracker: 6969, ssh: 22, web: 80, names: 53 };
const strict = { devices: [{ ...tunnelDevice, isStrict: true }] };
let network: GatewayNetwork;

const refused = async (counter: RefusalCounter) =>
  (await network.table()).counters.get(counter)?.packets ?? 0;

function run(netns: string, script: string, ...args: readonly string[]): ChildProcess {
  const argv = ['netns', 'exec', netns, process.execPath, '-e', script, ...args];
  return spawn('ip', argv, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/**
 * Answers every byte and datagram with the same, from the address that was asked; `often` is
 * answered for ever.
 */
const echo = `
const [list, ...addresses] = process.argv.slice(1);
const every = list.split(',').map(Number);
let left = every.length * (1 + addresses.length);
const ready = () => { if (--left === 0) console.log('ready'); };
for (const port of every) {
  require('node:net').createServer((socket) => { socket.on('error', () => {}); socket.pipe(socket); }).listen(port, '::', ready);
  for (const own of addresses) {
    const udp = require('node:dgram').createSocket(own.includes(':') ? 'udp6' : 'udp4');
    udp.on('error', () => {}).on('message', (message, { port: to, address }) => {
      udp.send(message, to, address);
      if (message.toString() === 'often') setInterval(() => udp.send(message, to, address), 5);
    });
    udp.bind(port, own, ready);
  }
}`;

/** Says these bytes and prints a line for each answer. */
const say = `
const [protocol, host, port, hex] = process.argv.slice(1);
const bytes = Buffer.from(hex, 'hex');
if (protocol === 'tcp') {
  const socket = require('node:net').connect(Number(port), host, () => socket.write(bytes));
  // Without a reset the kernel would go on sending what was refused.
  process.once('SIGTERM', () => socket.resetAndDestroy() && process.exit());
  socket.on('error', () => {}).on('data', () => console.log('answered'));
} else {
  const socket = require('node:dgram').createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', () => console.log('answered'));
  socket.send(bytes, Number(port), host);
}`;

interface Said {
  readonly protocol: FirstBytes['protocol'];
  readonly host?: string;
  readonly port?: number;
  readonly bytes?: Buffer;
}

/** A conversation of the consumer's: `heard` is how many answers it got so far. */
function talk({ protocol, host = far.publicAnycast4, port = ports.open, bytes }: Said) {
  const said = bytes ?? Buffer.from('hello');
  const child = run(network.netns.consumer, say, protocol, host, `${port}`, said.toString('hex'));
  const ended = once(child, 'exit');
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  onTestFinished(end);
  let heard = 0;
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', () => {
      heard += 1;
    });
  return { heard: () => heard, end };
}

/** What became of what was said first: an answer, or the counter that rose. */
async function findFate(said: Said): Promise<string> {
  const counters = ['refused_risky', 'refused_sharing', 'refused_bad'] as const;
  const before = await Promise.all(counters.map(refused));
  const { heard, end } = talk(said);
  const look = async () => {
    const now = await Promise.all(counters.map(refused));
    const risen = counters.find((_, index) => (now[index] ?? 0) > (before[index] ?? 0));
    const fate = heard() > 0 ? 'answered' : risen;
    if (fate === undefined) throw new Error('neither answered nor counted');
    return fate;
  };
  try {
    return await waitUntil(look);
  } finally {
    await end();
  }
}

/** What became of several at once, each with its name. */
function findFates(all: readonly FirstBytes[]): Promise<readonly string[]> {
  return Promise.all(all.map(async ({ name, ...said }) => `${name}: ${await findFate(said)}`));
}

const toAnswered = ({ name }: FirstBytes) => `${name}: answered`;

/** Brings the rules and lists into the kernel as a pass does. */
async function apply(
  change: Partial<GatewayPolicy>,
  lists: Partial<Record<DeniedGroup['name'], string>> = {},
): Promise<void> {
  await network.apply(change);
  await grantPermit(network.onDevice, [tunnelInterface], 600);
  const toGroup = (name: DeniedGroup['name'], mark: string): DeniedGroup => ({
    name,
    mark,
    devices: [tunnelInterface],
    lists: lists[name] === undefined ? [] : [parseAddressList(lists[name], 'test')],
    isHeldTwice: name === 'denied',
  });
  const table = await observeNftOutline(network.onDevice, deniedTableName);
  const groups = [toGroup('bad', badMark), toGroup('denied', deniedMark)];
  for (const script of renderDenied(table, { table: deniedTableName, groups }))
    await applyNft(network.onDevice, script, 'test');
}

describe.skipIf(!isInsideLab())('the strict rules', () => {
  beforeAll(async () => {
    network = await createGatewayNetwork();
    const server = run(
      network.netns.far,
      echo,
      Object.values(ports).join(),
      far.publicAnycast4,
      far.publicReal6,
    );
    await new Promise((resolve) => server.stdout?.once('data', resolve));
    return () => void server.kill('SIGKILL');
  });
  afterAll(() => network?.remove());
  beforeEach(() => apply(strict));

  test.each(sharingBytes)(
    'refuse $name, and count it as file sharing',
    async ({ protocol, bytes }) => {
      expect(await findFate({ protocol, bytes })).toBe('refused_sharing');
      expect(await findFate({ protocol, bytes, host: far.publicReal6 })).toBe('refused_sharing');
    },
  );

  test('let everything else through', async () => {
    expect(await findFates(ordinaryBytes)).toEqual(ordinaryBytes.map(toAnswered));
  });

  test('leave no chain behind when they end', async () => {
    await apply({});
    const listed = await network.onDevice({
      program: 'nft',
      args: ['list', 'table', 'inet', tableName],
      doing: 'listing',
    });
    expect(listed.match(/chain (strict\w*|\w+_bytes\w*)/g)).toBeNull();
  });

  test('are not there by themselves', async () => {
    await apply({});
    expect(await findFates(sharingBytes)).toEqual(sharingBytes.map(toAnswered));
  });

  test.each([
    ['tcp', ports.ssh, 'refused_risky'],
    ['udp', ports.ssh, 'refused_risky'],
    ['udp', ports.web, 'refused_risky'],
    ['tcp', ports.tracker, 'refused_risky'],
    ['tcp', ports.web, 'answered'],
    ['udp', ports.names, 'answered'],
    ['tcp', ports.names, 'answered'],
  ] as const)('by %s to port %i: %s', async (protocol, port, fate) => {
    expect(await findFate({ protocol, port })).toBe(fate);
    expect(await findFate({ protocol, port, host: far.publicReal6 })).toBe(fate);
  });

  test('leave alone what the owner allows by name, also where it is on a list', async () => {
    await apply({ ...strict, allowDestinations: [far.publicAnycast4] }, { bad: '9.0.0.0/8' });
    expect(await findFate({ protocol: 'tcp', port: ports.ssh })).toBe('answered');
    expect(await findFate({ protocol: 'tcp', port: ports.ssh, host: far.publicReal6 })).toBe(
      'refused_risky',
    );
  });

  test('refuse what is on a list of bad addresses, and nothing beside', async () => {
    await apply(strict, { bad: `${far.publicAnycast4}\n2606:4700::/32` });
    expect(await findFate({ protocol: 'udp' })).toBe('refused_bad');
    expect(await findFate({ protocol: 'tcp', host: far.publicReal6 })).toBe('refused_bad');
    await apply(strict, { bad: '9.9.9.0/29' });
    expect(await findFate({ protocol: 'udp' })).toBe('answered');
  });

  test.each<
    readonly [
      string,
      RefusalCounter,
      Partial<GatewayPolicy>,
      Partial<Record<DeniedGroup['name'], string>>,
    ]
  >([
    ['its port is refused', 'refused_risky', strict, {}],
    ['it is on a list of bad addresses', 'refused_bad', strict, { bad: far.publicAnycast4 }],
    ['the owner denies it', 'refused_denied', {}, { denied: far.publicAnycast4 }],
  ])('end what a server goes on sending once %s', async (_why, counter, change, lists) => {
    await apply({});
    const port = counter === 'refused_risky' ? ports.tracker : ports.open;
    const { heard } = talk({ protocol: 'udp', port, bytes: Buffer.from('often') });
    await expect.poll(heard).toBeGreaterThan(2);
    await apply(change, lists);
    const rising = async (by: number) => {
      const before = await refused(counter);
      await expect.poll(() => refused(counter)).toBeGreaterThan(before + by);
    };
    // What had been let through before is read by then.
    await rising(20);
    const before = heard();
    await rising(20);
    expect(heard()).toBe(before);
  });
});
