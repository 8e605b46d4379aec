import { isIP } from 'node:net';
import { tableName } from '../../gateway/policy.ts';
import { chooseUplink, findCollision, listOwnPrefixes } from '../../gateway/uplink.ts';
import { findAction, findKnownAction } from '../../health/reasons.ts';
import { isInAny } from '../../lib/addresses.ts';
import { hasCode, toUndefined } from '../../lib/errors.ts';
import { formatSeconds } from '../../lib/units.ts';
import { namespaceName } from '../../namespace/plan.ts';
import type { Exec } from '../../system/exec.ts';
import { observeNftTable } from '../../system/nft.ts';
import { defaultMtu } from '../../tunnel/state.ts';
import {
  type Finding,
  fail,
  findEndpoint,
  insideAsRoot,
  pass,
  skip,
  toShellWord,
} from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** IP, UDP and WireGuard around a packet of the tunnel. */
const overheadBytes = { 4: 60, 6: 80 } as const;
/** IP and ICMP around what ping is told to send. */
const pingBytes = { 4: 28, 6: 48 } as const;
/** Sizes of packet that connections are known to stop at, widest first. */
const steps = [1492, 1480, 1472, 1460, 1450, 1430, 1420, 1400, 1380, 1360, 1340, 1320, 1300, 1280];

/**
 * Whether the tunnel's largest packets reach its other end, by pings that must not be fragmented.
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
  // Larger packets than the uplink's are fragmented on this device already.
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

/** True where one of two is answered. @throws missing-program */
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

/** The tunnel and a network of the owner's cannot share addresses. */
export async function lookAtCollision(host: DoctorHost) {
  const spec = await host.tunnel();
  if (spec === undefined) return skip('no tunnel was issued yet');
  const { tunnel } = (await host.configuration()).config;
  const { interfaces } = await host.network();
  const addresses = spec.addresses.map((own) => own.address);
  const collision = findCollision(addresses, listOwnPrefixes(interfaces, tunnel.interface));
  if (collision === undefined)
    return pass(`no network here conflicts with ${addresses.join(', ')}`);
  const where = interfaces.find((own) =>
    isInAny(collision, listOwnPrefixes([own], tunnel.interface)),
  );
  const fix = `Give that network another range, in your router or with: sudo ip address flush dev ${where?.name}`;
  return fail(`the tunnel's address ${collision} is in the network of ${where?.name}`, fix);
}

/**
 * Two interfaces with one key take the tunnel from each other; two on one port cannot both be up.
 */
export async function lookAtRivals(host: DoctorHost) {
  const spec = await host.tunnel();
  if (spec === undefined) return skip('no tunnel was issued yet');
  const inside = await insideAsRoot(host);
  const own = (await host.configuration()).config.tunnel.interface;
  const list = async (exec: typeof inside, what: string) => {
    const text = await exec({
      program: 'wg',
      args: ['show', 'all', what],
      doing: `reading every ${what}`,
    });
    return text.split('\n').map((line) => line.split('\t'));
  };
  const [hereKeys, insideKeys, ports] = await Promise.all([
    list(host.exec, 'public-key'),
    list(inside, 'public-key'),
    list(inside, 'listen-port'),
  ]);
  const twin = [...hereKeys, ...insideKeys].find(
    ([name, key]) => name !== own && key === spec.publicKey,
  )?.[0];
  if (twin !== undefined)
    return fail(`${twin} also uses the tunnel's key`, `sudo ip link delete ${toShellWord(twin)}`);
  const port = ports.find(([name]) => name === own)?.[1];
  const rival = ports.find(([name, other]) => name !== own && other === port && port !== '0')?.[0];
  if (port === undefined || rival === undefined) return pass('none in the way');
  return fail(
    `${rival} listens on the tunnel's port ${port}`,
    `sudo wg set ${toShellWord(rival)} listen-port 0`,
  );
}

/**
 * Whether a datagram may leave for the tunnel's other end. Silence proves nothing: the handshake
 * does.
 */
export async function lookAtEndpoint(host: DoctorHost) {
  const endpoint = await findEndpoint(host);
  if (endpoint === undefined) return skip('no tunnel was issued yet');
  const { port } = endpoint.spec.peer.endpoint;
  const code = await host.tryDatagram(endpoint.address, port);
  const where = `${endpoint.address} UDP ${port}`;
  if (code === undefined) return pass(`nothing refuses ${where}`);
  const refused = `${where} is refused: nothing listens there, or a firewall rejects it`;
  if (code === 'ECONNREFUSED')
    return fail(refused, 'Allow outgoing UDP in your router and firewall');
  return fail(`${where} cannot be sent to (${code})`, `ip route get ${endpoint.address}`);
}

/**
 * WireGuard drops a session after so long; an otherwise silent tunnel speaks once in a keepalive
 * interval.
 */
const sessionSeconds = 180;
const keepaliveDefaultSeconds = 60;

/** The one proof that the tunnel's other end answers. */
export async function lookAtHandshake(host: DoctorHost) {
  const { tunnel, service, phase } = await host.status();
  if (tunnel.backend === null) return skip(`there is no tunnel: the agent is ${phase}`);
  const fix = `Allow outgoing UDP to ${tunnel.endpoint ?? 'the endpoint'} in your router and firewall`;
  if (tunnel.lastHandshakeAt === null) return fail(`${tunnel.endpoint} has never answered`, fix);
  const ageSeconds = (host.now().getTime() - Date.parse(tunnel.lastHandshakeAt)) / 1000;
  const found = `${tunnel.endpoint} answered ${formatSeconds(ageSeconds)} ago`;
  const mostSeconds = sessionSeconds + (service.keepaliveSeconds ?? keepaliveDefaultSeconds);
  return ageSeconds <= mostSeconds ? pass(found) : fail(found, fix);
}

/**
 * Whether consumers' traffic really passes, in the kernel and not by the agent's word; else the
 * reason that the agent gives.
 */
export async function lookAtForwarding(host: DoctorHost): Promise<Finding> {
  const { phase, reasons, provide, gateway } = await host.status();
  const [reason] = reasons;
  switch (phase) {
    case 'providing': {
      const isAdmin = await host.isNetworkAdmin();
      const finding = isAdmin
        ? await lookAtKernel(host)
        : pass(`open to ${gateway.uplink}, the agent says`);
      const isSilent = reasons.some(({ code }) => code === 'consumer-tunnel');
      if (!isSilent || finding.verdict !== 'pass') return finding;
      const silence = 'consumer-tunnel: no traffic has arrived in a day of providing';
      return pass(`${finding.found}. ${silence}. ${findAction('consumer-tunnel')}`);
    }
    case 'idle':
    case 'paused':
      return pass(
        `closed, as it should be: ${reason?.message ?? `the mode is ${provide.effective}`}`,
      );
    case 'signed-out':
    case 'registering':
    case 'connecting':
    case 'blocked':
    case 'stopping':
      // What to do is never the agent's word: it may have been taken over, and root reads this.
      return fail(
        reason?.message ?? `the agent is ${phase}`,
        findKnownAction(reason?.code) ?? 'tributary status',
      );
  }
}

async function lookAtKernel(host: DoctorHost): Promise<Finding> {
  const exec = await insideAsRoot(host);
  const own = (await host.configuration()).config.tunnel.interface;
  const table = await observeNftTable(exec, tableName);
  const fix = 'The agent puts it back. To see what changes it: sudo nft monitor';
  if (table === undefined) return fail('the nft table tributary is gone', fix);
  if (table.policies.get('forward') !== 'drop')
    return fail('the nft table tributary is not as the agent makes it', fix);
  const { rules } = await host.network();
  const hasRules = [5181, 5182].every((priority) =>
    rules.some((rule) => rule.priority === priority),
  );
  if (!hasRules)
    return fail(
      'the routing rules are gone',
      'The agent puts them back. To see what removes them: ip monitor rule',
    );
  const seconds = table.expires.get(`permit/${own}`);
  if (seconds === undefined)
    return fail('the permit to forward has run out', 'sudo systemctl restart tributary');
  return pass(`open for ${seconds} s more, and renewed meanwhile`);
}

/** What is lost of limits, and of yielding to the household, where this kernel cannot shape. */
export async function lookAtLine(host: DoctorHost): Promise<Finding> {
  const { lineHeldBy } = (await host.status()).gateway;
  if (lineHeldBy === null) return skip('no limit was needed yet');
  if (lineHeldBy !== 'policer') return pass(heldBy[lineHeldBy]);
  const fix =
    'sudo modprobe --all sch_htb ifb cls_u32 cls_bpf act_mirred, then: sudo systemctl restart tributary';
  return fail(
    'this kernel cannot shape traffic: it drops packets above a limit, and sharing cannot yield to you',
    fix,
  );
}

const heldBy = {
  'one-tree': 'a limit holds both directions as one',
  'two-trees': 'this kernel has no ifb: each direction has half of a limit',
};

/**
 * Packets of the agent's own, sent now as a consumer would: what must be refused was, and what must
 * pass did.
 */
export async function lookAtSelfTest(host: DoctorHost): Promise<Finding> {
  const { phase, tunnel, reasons, gateway } = await host.selfTest();
  const failure = reasons.find(({ code }) => code === 'self-test-failed');
  if (failure !== undefined) return fail(failure.message, failure.action);
  if (tunnel.backend === null) return skip(`there is no tunnel: the agent is ${phase}`);
  if (gateway.selfTestHeldAt === null)
    return skip('no test packet has come round yet; try again in a few seconds');
  const age = formatSeconds((host.now().getTime() - Date.parse(gateway.selfTestHeldAt)) / 1000);
  return pass(`test packets to this device, its network and blocked ports were refused ${age} ago`);
}
