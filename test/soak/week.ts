import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { administer } from '../../src/reference-service/admin-commands.ts';
import { openDatabase } from '../../src/reference-service/database.ts';
import { readPlatformTime } from '../../src/reference-service/platform/platform-clock.ts';
import { queryOn } from '../../src/reference-service/statements.ts';
import type { StatusDocument } from '../../src/status/document.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { createTestLab, stopAgent } from '../net/support/test-lab.ts';

/*
 * `npm run week -- [--days 7] [--rate 300] [--slow 20]`: the built agent with its engine, in the
 * lab, at the sandbox's platform: a restart a day, an upgrade, two drains and a night on a bad
 * line. The platform's clock is hastened much while nothing happens; while something does, it goes
 * as ours, because a process takes its seconds to start whatever the clock. So a busy machine makes
 * the run longer, and costs no minute that the device itself would not have lost. Ends with 1 where
 * fewer than 99.9 % of the minutes count by the platform's own blocks, or where the device counts
 * others.
 */

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '7' },
    rate: { type: 'string', default: '300' },
    slow: { type: 'string', default: '20' },
  },
});
const days = Number(values.days);
const minute = 60_000;
const hour = 60 * minute;
/** A minute in 200 ms while nothing happens, and in 3 s once something has. */
const fast = Number(values.rate);
const slow = Number(values.slow);
/** Both minutes that an event falls into, and the next, are over then. */
const afterEvent = 2.5 * minute;
/** Minutes of the device's own count that may be others than the platform's. */
const mostApart = 3;
const isProviding = ({ phase }: StatusDocument) => phase === 'providing';

const other = await mkdtemp(join(tmpdir(), 'tributary-week-'));
const lab = await createTestLab({ id: 'week', profile: 'documented', source: 'connect' });
const service = join(lab.directory, 'service');
using database = openDatabase(service);
const now = () => readPlatformTime(database);
const hasten = (rate: number) => administer(service, 'hastenPlatform', { rate });

async function start(argv = lab.command('run')): Promise<[LabProcess, StatusDocument]> {
  const agent = lab.startAgent({}, argv);
  return [agent, await lab.waitForStatus(isProviding)];
}

/** Of all packets between the device and the platform, three of a hundred are lost meanwhile. */
async function haveBadLine(work: () => Promise<void>): Promise<void> {
  const rule = (hook: string) =>
    `chain ${hook} { type filter hook ${hook} priority 0; numgen random mod 100 < 3 drop; }`;
  const table = `table inet bad { ${rule('input')}; ${rule('output')}; }`;
  await lab.network.run('proxy', 'nft', table);
  await work();
  await lab.network.run('proxy', 'nft', 'delete table inet bad');
}

const toHours = (at: number): string => ((at - beginning) / hour).toFixed(2);
let sum = { minutes: 0, valid: 0 };
let [agent, { client }] = await start();
const clientId = client.id ?? '';
await sleep(3000);
await hasten(fast);
let edge = Math.ceil((now() + 2 * minute) / hour) * hour;
const beginning = edge;

interface Block {
  readonly connections: number;
  readonly established: number;
  readonly published: number;
  readonly changes: number;
  readonly messages: number;
}
/** What the platform noted of a minute; undefined where it counts. */
function findLoss(at: number): string | undefined {
  const { findRow } = queryOn(database);
  const block = findRow<Block>`select connections, established, published, changes, messages
    from reliability_block where client_id = ${clientId} and block_ms = ${at}`;
  if (block === undefined) return 'nobody was there';
  const { connections, established, published, changes, messages } = block;
  const isSound = connections <= 1 && established >= 1 && changes === 0;
  return isSound && published >= 1 && messages >= 1 ? undefined : JSON.stringify(block);
}

/** Counts whole hours that are over, and well over. */
function count(): void {
  while (now() >= edge + hour + 6 * minute) {
    const lost = Array.from({ length: 60 }, (_, index) => edge + index * minute).flatMap((at) => {
      const why = findLoss(at);
      return why === undefined ? [] : [`${toHours(at)} h: a minute is lost: ${why}`];
    });
    for (const line of lost) console.log(line);
    sum = { minutes: sum.minutes + 60, valid: sum.valid + 60 - lost.length };
    edge += hour;
  }
}
async function waitFor(until: number): Promise<void> {
  while (now() < until) {
    count();
    await sleep(100);
  }
}

const restart = async (argv = lab.command('run')): Promise<void> => {
  await stopAgent(agent);
  [agent] = await start(argv);
};
const upgrade = async (): Promise<void> => {
  await cp(join(import.meta.dirname, '../../dist'), other, { recursive: true });
  const [ip, netns, exec, host, ...words] = lab.command('run');
  const moved = words.map((word) => word.replace(/^.*\/dist\//, `${other}/`));
  await restart([ip, netns, exec, host, ...moved]);
};
const readSince = async () => (await lab.status()).sources[0]?.aliveSince ?? undefined;
/** Until the device has moved to another socket. */
const drain = async (): Promise<void> => {
  const before = await readSince();
  await administer(service, 'drainPlatform', {});
  const patience = AbortSignal.timeout(60_000);
  while ([before, undefined].includes(await readSince())) await sleep(250, { signal: patience });
};
/** For longer than the device waits before it doubts its socket. */
const mostDoubt = 20_000;
const pullCable = async (): Promise<void> => {
  await lab.network.run('home', 'ip', 'link', 'set', 'port2', 'down');
  await sleep(3000);
  await lab.network.run('home', 'ip', 'link', 'set', 'port2', 'up');
  await sleep(mostDoubt);
};

/** Something happens at a time, while the clock goes as ours. */
async function happen(name: string, act: () => Promise<unknown>, at: number): Promise<void> {
  await waitFor(at - 3 * minute);
  await hasten(1);
  await sleep(1000);
  const since = performance.now();
  const atHours = toHours(now());
  await act();
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  console.log(`${atHours} h: ${name}, ${seconds} s`);
  await hasten(slow);
  await waitFor(now() + afterEvent);
  await hasten(fast);
}

const toTime = (day: number, hours: number) => beginning + (24 * day + hours) * hour;
await waitFor(beginning);
for (let day = 0; day < days; day++) {
  await happen('a restart', restart, toTime(day, 5 + Math.random()));
  if (day === Math.floor(days / 2)) await happen('an upgrade', upgrade, toTime(day, 9));
  if (day === 0 || day === Math.floor((2 * days) / 3))
    await happen('a drain', drain, toTime(day, 12 + Math.random()));
  console.log(`day ${day + 1}: ${sum.valid} of ${sum.minutes} minutes count so far`);
  if (day !== days - 1) continue;
  await waitFor(toTime(day, 14));
  await haveBadLine(async () => {
    for (let hours = 15; hours <= 21; hours += 2)
      await happen('the cable out', pullCable, toTime(day, hours + Math.random() / 2));
    await waitFor(toTime(day, 22));
  });
}
await waitFor(toTime(days, 0) + 7 * minute);
count();
const share = (100 * sum.valid) / sum.minutes;
console.log(`${sum.valid} of ${sum.minutes} minutes count: ${share.toFixed(3)} %`);
for (const line of lab.service().lines.slice(-20)) console.log(`the service: ${line}`);
const own = (await lab.status()).sources[0]?.market?.minutes.week;
const ownLost = own === undefined ? Number.NaN : own.known - own.valid;
console.log(`the device itself has lost ${ownLost} of ${own?.known}`);
await lab.remove();
await rm(other, { recursive: true });
const isSame = Math.abs(ownLost - (sum.minutes - sum.valid)) <= mostApart;
process.exitCode = share >= 99.9 && isSame ? 0 : 1;
