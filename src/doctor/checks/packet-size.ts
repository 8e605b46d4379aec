import { isIP } from 'node:net';
import { hasCode, toUndefined } from '../../errors/codes.ts';
import { chooseUplink } from '../../gateway/uplink.ts';
import { namespaceName } from '../../namespace/plan.ts';
import { defaultMtu } from '../../source/wireguard/state.ts';
import type { Exec } from '../../system/exec.ts';
import { fail, findEndpoint, pass, skip, toShellWord } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** Bytes of IP, UDP and WireGuard around a packet of the tunnel. */
const overheadBytes = { 4: 60, 6: 80 } as const;
/** Bytes of IP and ICMP around the payload that ping is asked to send. */
const pingBytes = { 4: 28, 6: 48 } as const;
/** Packet sizes at which connections are known to stop, the largest first. */
const steps = [1492, 1480, 1472, 1460, 1450, 1430, 1420, 1400, 1380, 1360, 1340, 1320, 1300, 1280];

/**
 * Whether the tunnel's largest packets reach its other end; tried by pings that must not be
 * fragmented.
 */
export async function lookAtMtu(host: DoctorHost) {
  const endpoint = await findEndpoint(host);
  if (endpoint === undefined) return skip('no tunnel was issued yet');
  const { gateway, tunnel } = (await host.configuration()).config;
  const network = await host.network();
  const chosen = chooseUplink(network, {
    configured: gateway.uplink,
    tunnelInterface: tunnel.interface,
  });
  const uplink = network.interfaces.find(({ name }) => name === chosen);
  if (uplink === undefined) return skip('there is no uplink');
  const family = isIP(endpoint.address) === 6 ? 6 : 4;
  // Packets larger than the uplink's are already fragmented on this device.
  const wanted = Math.min((endpoint.spec.mtu ?? defaultMtu) + overheadBytes[family], uplink.mtu);
  const exec = await host.inside();
  const gets = (bytes: number) => ping(exec, endpoint.address, bytes - pingBytes[family]);
  const isEnough = await gets(wanted).catch(toUndefined('missing-program'));
  if (isEnough === undefined) return skip('ping is not installed (package iputils-ping)');
  if (isEnough) return pass(`packets of ${wanted} bytes reach ${endpoint.address}`);
  const narrower = steps.filter((bytes) => bytes < wanted);
  const got = await Promise.all(narrower.map(gets));
  const widest = narrower.find((_, index) => got[index]);
  if (widest === undefined)
    return skip(`${endpoint.address} answers no pings, so it cannot be measured`);
  const where = (await host.place()).kind === 'host' ? `ip -n ${namespaceName}` : 'ip';
  const fix = `sudo ${where} link set dev ${toShellWord(uplink.name)} mtu ${widest}`;
  return fail(
    `packets of ${wanted} bytes do not reach ${endpoint.address}; ${widest} bytes do`,
    fix,
  );
}

/** True where at least one of two pings is answered. @throws missing-program */
async function ping(exec: Exec, address: string, payloadBytes: number): Promise<boolean> {
  const args = [
    '-n',
    '-q',
    '-M',
    'do',
    '-c',
    '2',
    '-i',
    '0.3',
    '-W',
    '1',
    '-s',
    String(payloadBytes),
    address,
  ];
  try {
    await exec({ program: 'ping', args, doing: `pinging ${address}`, timeoutMs: 4000 });
    return true;
  } catch (error) {
    if (hasCode(error, 'command-failed') && !/No such file/.test(error.message)) return false;
    throw error;
  }
}
