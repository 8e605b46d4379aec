import { expect } from 'vitest';
import type { Lab } from '../../../tools/lab/lab.ts';
import { addresses } from '../../../tools/lab/network.ts';
import { startProcess } from '../../../tools/lab/processes.ts';

const port = 8088;

/** Bytes that arrive on the Internet of what a consumer sends there in so many milliseconds. */
export async function upload(lab: Lab, lastsMs: number): Promise<number> {
  const listen = `let bytes = 0;
    require('node:net').createServer((socket) => socket.on('data', (data) => (bytes += data.length)).on('error', () => {}))
      .listen(${port}, '${addresses.internet}');
    setTimeout(() => { console.log(bytes); process.exit(); }, ${lastsMs + 500});`;
  const send = `const part = Buffer.alloc(65536);
    setTimeout(() => {
      const socket = require('node:net').connect(${port}, '${addresses.internet}');
      const fill = () => { while (socket.write(part)); };
      socket.on('connect', fill).on('drain', fill).on('error', () => {});
    }, 250);
    setTimeout(() => process.exit(), ${lastsMs});`;
  const [arrived] = await Promise.all([
    lab.network.run('internet', process.execPath, '-e', listen),
    lab.network.run('consumer', process.execPath, '-e', send),
  ]);
  return Number(arrived);
}

/** Sends so many bytes from a consumer to the Internet, whole, however long that takes. */
export async function uploadWhole(lab: Lab, bytes: number): Promise<void> {
  const listen = `require('node:net').createServer((socket) => {
      socket.resume().on('end', () => process.exit());
    }).listen(${port}, '${addresses.internet}', () => console.log('listening'));`;
  const send = `const socket = require('node:net').connect(${port}, '${addresses.internet}');
    socket.on('connect', () => socket.end(Buffer.alloc(${bytes}))).resume();`;
  const start = (host: 'internet' | 'consumer', script: string) =>
    startProcess({ argv: lab.network.on(host, process.execPath, '-e', script) });
  const listener = start('internet', listen);
  await listener.waitForLine((line) => line === 'listening');
  const sender = start('consumer', send);
  expect(await listener.exited).toBe(0);
  await sender.exited;
}
