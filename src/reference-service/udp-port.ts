import { createSocket } from 'node:dgram';
import type { DatabaseSync } from 'node:sqlite';
import { keepSetting, setSetting } from './database.ts';

/**
 * The UDP port of the WireGuard end, which registrations name for as long as they live: the desired one, else the one in
 * the database, else a free one.
 */
export async function keepPort(database: DatabaseSync, desired: number): Promise<number> {
  const name = 'wireguard-port';
  if (desired !== 0) {
    setSetting(database, name, String(desired));
    return desired;
  }
  const free = await findFreePort();
  return Number(keepSetting(database, name, () => String(free)));
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.once('error', reject);
    socket.bind(0, () => {
      const { port } = socket.address();
      socket.close(() => resolve(port));
    });
  });
}
