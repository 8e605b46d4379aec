import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createLineShaper } from '../../../src/data-path/line-shaper.ts';
import { observeHost } from '../../../src/data-path/observe.ts';
import { reconcileDataPath } from '../../../src/data-path/reconcile.ts';
import type { DataPathHost, DesiredDataPath } from '../../../src/data-path/state.ts';
import type { FenceRecord } from '../../../src/gateway/matches.ts';
import { createWireGuardDriver, toWish } from '../../../src/source/wireguard/driver.ts';
import { parseIssuedTunnel } from '../../../src/source/wireguard/parse.ts';
import type { Exec } from '../../../src/system/exec.ts';
import { createRestoreFile } from '../../../src/system/restore-file.ts';
import { createIssued, renderIssuedText } from '../source/wireguard/issued-fixture.ts';
import { usualDesired } from './desired-fixture.ts';
import { createFakeHost } from './fake-host.ts';

// The kernel's settings are the real ones here, so these are interface names that no machine has
// and for which the kernel has no settings.
export const uplink = 'fakeuplink9';
export const tunnelInterface = 'faketunnel9';

/** What a device with the usual tunnel wants; `text` changes lines of the issued text. */
export function createDesired(
  change: Partial<DesiredDataPath> = {},
  text: Readonly<Record<string, string>> = {},
): DesiredDataPath {
  const spec = parseIssuedTunnel(createIssued(renderIssuedText(text)), {
    isServiceOnLoopback: false,
  });
  return {
    sources: [
      toWish({
        kind: 'present',
        interface: tunnelInterface,
        backend: 'auto',
        spec,
        endpoint: '198.51.100.1:51820',
        persistentKeepaliveSeconds: 25,
      }),
    ],
    ...usualDesired,
    ...change,
  };
}

/** A machine at home, what it was asked and told so far, and passes over it. */
export function createWorld() {
  const machine = createFakeHost([`4 route default dev ${uplink} table main`]);
  machine.links.set(uplink, {
    kind: undefined,
    isUp: true,
    mtu: 1500,
    addresses: ['192.168.1.10'],
    configuration: '',
  });
  const stateDirectory = mkdtempSync(join(tmpdir(), 'tributary-data-path-'));
  onTestFinished(() => rm(stateDirectory, { recursive: true, force: true }));
  const commands: Parameters<Exec>[0][] = [];
  const exec: Exec = (command) => {
    commands.push(command);
    return machine.exec(command);
  };
  const line = createLineShaper(exec);
  const createHost = (own: Exec): DataPathHost => ({
    exec: own,
    stateDirectory,
    restore: createRestoreFile(stateDirectory, 'restore', () => undefined),
    line,
    sources: [createWireGuardDriver({ exec: own, stateDirectory }, tunnelInterface)],
  });
  const host = createHost(exec);
  let record: FenceRecord | undefined;
  return {
    machine,
    host,
    commands,
    /**
     * One pass; `isIpv6On` as the machine is said to have it, `exec` where it behaves in its own
     * way.
     */
    async pass(desired: DesiredDataPath, { isIpv6On = false, exec: own = exec } = {}) {
      const room = { memoryBytes: 8 * 1024 ** 3, conntrackMax: 262_144 };
      const found = await observeHost(own, {
        devices: [tunnelInterface],
        isDenying: desired.denied.length > 0,
        readListeningPorts: async () => [],
      });
      const dataPath = await reconcileDataPath(createHost(own), desired, {
        ...found,
        isIpv6On,
        record,
        room,
      });
      record = dataPath.record;
      return dataPath;
    },
    /** As a new process begins: without what the one before it saw. */
    restart: () => {
      record = undefined;
    },
    /** What each program that ran was run for, one after the other. */
    doings: () => commands.map(({ doing }) => doing),
  };
}
