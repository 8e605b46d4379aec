import type { ReportQueue } from '../control/report-queue.ts';
import type { Engine } from '../provider/engine-contract.ts';
import type { WireMeter } from '../socket/wire-meter.ts';
import type { PacketDevice } from '../tun/tun-device.ts';
import type { EngineCounters } from './messages.ts';

/** What the agent is told of, from the parts that count. */
export function readCounters(of: {
  readonly engine: Engine;
  readonly reports: ReportQueue;
  readonly device: PacketDevice;
  readonly meter: WireMeter;
}): EngineCounters {
  const counters = of.engine.counters();
  const { consumers, contracts, upBytes, downBytes, dropped, renewals, sealing } = counters;
  const refused = of.reports.givenUp();
  return {
    consumers,
    upBytes,
    downBytes,
    overheadBytes: Math.max(0, of.meter.bytes() - upBytes - downBytes),
    admittedContracts: contracts.admitted,
    refusedContracts: { ...contracts.refused },
    unpaidBytes: contracts.unpaidBytes + refused.bytes,
    doubtfulBytes: of.reports.doubtfulBytes(),
    reportsWaiting: of.reports.waiting(),
    reportsRefused: refused.reports,
    renewals: { ...renewals },
    sealing: {
      consumers: sealing.sealedConsumers,
      handshakes: sealing.proven,
      refusedHandshakes: { ...sealing.refused },
      sealedMessages: sealing.sealed,
      openedMessages: sealing.opened,
      unopenedMessages: sealing.unopened,
      workMs: Math.round(sealing.workMs),
    },
    dropped: { ...dropped },
    failedWrites: of.device.state().failedWrites,
  };
}
