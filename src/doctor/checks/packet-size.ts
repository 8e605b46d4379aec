import { isIP } from 'node:net';
import { hasCode, toUndefined } from '../../errors/codes.ts';
import { chooseUplink } from '../../gateway/uplink.ts';
import { namespaceName } from '../../namespace/plan.ts';
import { listDevices } from '../../source/drivers.ts';
import { pingOverheadBytes, wireGuardOverheadBytes } from '../../source/packet-bytes.ts';
import { defaultMtu } from '../../source/wireguard/state.ts';
import type { Exec } from '../../system/exec.ts';
import { type Finding, fail, findEndpoint, pass, skip, toShellWord } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** Sizes of packet that connections are known to stop at, widest first. */
const steps = [1492, 1480, 1472, 1460, 1450, 1430, 1420, 1400, 1380, 1360, 1340, 1320, 1300, 1280];

/**
 * Whether the tunnel's largest packets reach its other end; tried by pings that must not be
 * fragmented.
 */
export async function lookAtMtu(host: DoctorHost): Promise<Finding> {
  const endpoint = await findEndpoint(host);
  if (endpoint === undefined) return skip('no tunnel was issued yet');
  const { config } = await host.configuration();
  const network = await host.network();
  const chosen = chooseUplink(network, {
    configured: config.gateway.uplink,
    devices: listDevices(config),
  });
  const uplink = network.interfaces.find(({ name }) => name === chosen);
  if (uplink === undefined) return skip('there is no uplink');
  const family = isIP(endpoint.address) === 6 ? 6 : 4;
  // Larger packets than the uplink's are fragmented on this device already.
  const wanted = Math.min(
    (endpoint.spec.mtu ?? defaultMtu) + wireGuardOverheadBytes[family],
    uplink.mtu,
  );
  const exec = await host.inside();
  const gets = (bytes: number) => ping(exec, endpoint.address, bytes - pingOverheadBytes[family]);
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
