import { createSocket } from 'node:dgram';
import { type Probe, toProbeNumber, toProbeTarget } from '../gateway/self-test.ts';
import { judgeSelfTest, type SelfTestResult } from '../gateway/self-test-verdict.ts';
import type { Exec } from '../system/exec.ts';
import type { NftTable } from '../system/nft.ts';
import { applyTc } from '../system/tc.ts';
import { listPermitted } from './permit.ts';
import type { DataPath } from './reconcile.ts';

/**
 * The self-test of the fence: the agent sends packets of its own, and what the kernel counted of
 * them is judged at the next reading.
 */
export interface SelfTest {
  /** Sends the probes that the last review planned; before the first review there are none. */
  send(): Promise<void>;
  /**
   * Judges what was sent since the last review, and plans what to send next; undefined if there was
   * nothing to judge. Call it after each reading of the table.
   */
  review(read: Pick<DataPath, 'probes' | 'table'>): SelfTestResult | undefined;
}

type SelfTestPlan = Pick<DataPath, 'probes'>;

export function createSelfTest(exec: Exec, send: typeof sendProbes): SelfTest {
  let plan: SelfTestPlan = { probes: [] };
  let sent: readonly Probe[] = [];
  let before: NftTable | undefined;
  let isTurnedRound = false;
  return {
    async send() {
      const { probes } = plan;
      if (probes.length === 0) return;
      if (!isTurnedRound) await turnProbesRound(exec, probes);
      isTurnedRound = true;
      await send(probes);
      sent = probes;
    },
    review({ table, probes }) {
      const next = { probes };
      const tried = JSON.stringify(next) === JSON.stringify(plan) ? sent : [];
      const readings = table && {
        before,
        after: table,
        open: listPermitted(before).filter((device) => listPermitted(table).includes(device)),
      };
      plan = next;
      sent = [];
      before = table;
      if (readings === undefined || tried.length === 0) return undefined;
      const result = judgeSelfTest(tried, readings);
      // The tunnel's device may have been made again, without the filter that turns probes round.
      if (result.kind === 'lost') isTurnedRound = false;
      return result;
    },
  };
}

/** Sends one packet for each probe from this process's namespace into the tunnel. */
export async function sendProbes(probes: readonly Probe[]): Promise<void> {
  await Promise.all(([4, 6] as const).map((family) => sendFamily(probes, family)));
}

/** The kernel handles the packets before `send` resolves. */
async function sendFamily(probes: readonly Probe[], family: Probe['family']): Promise<void> {
  const own = probes.filter((probe) => probe.family === family);
  if (own.length === 0) return;
  const socket = createSocket(family === 4 ? 'udp4' : 'udp6');
  // Without a way into the tunnel a probe is lost, which the review reports.
  socket.on('error', () => undefined);
  const send = (probe: Probe) =>
    new Promise<void>((resolve) => {
      socket.send('tributary', toProbeNumber(probe), toProbeTarget(probe), () => resolve());
    });
  try {
    await Promise.all(own.map(send));
  } finally {
    socket.close();
  }
}

/** This filter comes before all others for what leaves by a source's device. */
const filterPreference = 7;

/**
 * Makes packets from the probes' sender come in again where they would leave by a source's device.
 * Safe to repeat; a kernel that cannot do it is left unchanged.
 */
async function turnProbesRound(exec: Exec, probes: readonly Probe[]): Promise<void> {
  const lines = [...Map.groupBy(probes, ({ device }) => device)].flatMap(([device, own]) => {
    const senders = new Map(own.map(({ family, source }) => [source, family]));
    return [
      `qdisc add dev ${device} clsact`,
      ...[...senders].flatMap(([source, family]) => listTurns(device, source, family)),
    ];
  });
  // Lines fail for what is there already and for what this kernel lacks. The next review shows
  // whether probes come round.
  await applyTc(exec, lines, 'forced').catch(() => undefined);
}

function listTurns(device: string, source: string, family: Probe['family']): readonly string[] {
  const words = family === 4 ? { protocol: 'ip', match: 'ip' } : { protocol: 'ipv6', match: 'ip6' };
  const place = `dev ${device} egress protocol ${words.protocol} pref ${filterPreference + family}`;
  const match = `u32 match ${words.match} src ${source}/${family === 4 ? 32 : 128}`;
  return [
    `filter delete ${place}`,
    `filter add ${place} ${match} action mirred ingress redirect dev ${device}`,
  ];
}
