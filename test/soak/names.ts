import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from '../../tools/lab/lab.ts';
import { addresses } from '../../tools/lab/network.ts';
import type { LabCommand, LabProcess } from '../../tools/lab/processes.ts';

/** Names by which the device knows everything outside. */
export const names = {
  service: 'service.soak.test',
  endpoint: 'endpoint.soak.test',
  broker: 'broker.soak.test',
} as const;

/** The service is at one of them at a time. */
const places = [addresses.proxy, '198.51.100.3'] as const;
/** Where every name leads by IPv6: the home's router takes the packets, and none comes back. */
const nowhere = '2001:db8:77::5';
/** The first one is dead at times. */
const nameServers = [addresses.homeLan, '198.51.100.1'] as const;
/** How long an answer may be kept, in seconds. */
const keepSeconds = 5;

/** Answers for each name of its file, which it reads again for each question. */
const answer = `
const [file, address] = process.argv.slice(1);
const { readFileSync } = require('node:fs');
const socket = require('node:dgram').createSocket('udp4');
const groups = (text) => text.split(':').flatMap((group, at, all) => group === ''
  ? Array(9 - all.length).fill(0) : [parseInt(group, 16)]).flatMap((word) => [word >> 8, word & 255]);
const toBytes = { 1: (text) => text.split('.').map(Number), 28: groups };
socket.on('message', (question, from) => {
  const labels = [];
  let at = 12;
  for (; question[at] > 0; at += question[at] + 1) labels.push(question.toString('latin1', at + 1, at + 1 + question[at]));
  const [end, type] = [at + 5, question.readUInt16BE(at + 1)];
  const known = JSON.parse(readFileSync(file, 'utf8'))[labels.join('.').toLowerCase()];
  const found = (known?.[type] ?? []).map(toBytes[type]);
  const head = Buffer.from(question.subarray(0, 12));
  head.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(found.length, 6);
  head.writeUInt32BE(0, 8);
  const records = found.flatMap((bytes) => [0xc0, 12, 0, type, 0, 1, 0, 0, 0, ${keepSeconds}, 0, bytes.length, ...bytes]);
  socket.send(Buffer.concat([head, question.subarray(12, end), Buffer.from(records)]), from.port, from.address);
});
socket.bind(53, address, () => console.log('listening'));
`;

/** What knows the names, and can let the service move. */
export interface Names {
  /** The service is at its other address from now on; nothing answers at the one before. */
  move(): Promise<void>;
}

interface Place {
  readonly lab: Lab;
  readonly start: (command: LabCommand) => LabProcess;
}

/** True where what is written below /etc stays in the lab. */
export async function hasOwnEtc(): Promise<boolean> {
  return / \/etc overlay /m.test(await readFile('/proc/self/mounts', 'utf8'));
}

/** Gives the lab two name servers, and the device IPv6 that leads nowhere. @throws LabError */
export async function startNames({ lab: { network, directory }, start }: Place): Promise<Names> {
  const file = join(directory, 'names.json');
  let turn = 0;
  const write = () => {
    const at = (address: string) => ({ 1: [address], 28: [nowhere] });
    const service = at(places[turn % 2] ?? places[0]);
    const all = [
      [names.service, service],
      [names.endpoint, service],
      [names.broker, at(addresses.nas)],
    ];
    return writeFile(file, JSON.stringify(Object.fromEntries(all)));
  };
  await write();
  const folder = join('/etc/netns', network.netns('device'));
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'resolv.conf'),
    nameServers.map((address) => `nameserver ${address}\n`).join(''),
  );
  const onDevice = (...args: readonly string[]) => network.run('device', 'ip', ...args);
  await network.run('home', 'ip', 'address', 'add', 'fd77::1/64', 'dev', 'lan0', 'nodad');
  await onDevice('address', 'add', 'fd77::10/64', 'dev', 'lan0', 'nodad');
  await onDevice('route', 'add', 'default', 'via', 'fd77::1');
  await network.run('proxy', 'ip', 'address', 'add', `${places[1]}/24`, 'dev', 'wan0');
  const hosts = ['home', 'internet'] as const;
  const servers = hosts.map((host, index) =>
    start({
      argv: network.on(host, process.execPath, '-e', answer, file, nameServers[index] ?? ''),
    }),
  );
  await Promise.all(servers.map((server) => server.waitForLine((line) => line === 'listening')));
  const close = (address: string) => {
    const chain = (hook: string, rule: string) =>
      `chain ${hook} { type filter hook ${hook} priority 0; ${rule} drop; };`;
    const both = [
      chain('input', `iifname != lo ip daddr ${address}`),
      chain('output', `oifname != lo ip saddr ${address}`),
    ];
    const table = `table ip moved { ${both.join(' ')} }`;
    return network.run('proxy', 'nft', `table ip moved; delete table ip moved; ${table}`);
  };
  await close(places[1]);
  return {
    async move() {
      const before = places[turn % 2] ?? places[0];
      turn += 1;
      await write();
      await close(before);
    },
  };
}
