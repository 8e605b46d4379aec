import { tableName } from '../gateway/policy.ts';
import { TributaryError } from '../lib/errors.ts';
import type { Exec } from '../system/exec.ts';
import { observeNftTable } from '../system/nft.ts';
import { observeWireGuardTraffic } from '../system/wg.ts';
import type { Board } from './state.ts';

/** Reads the counters anew for somebody who looks, between two passes of the data path; many at once read once. */
export type Sampler = () => Promise<void>;

const freshMs = 50;

export function createSampler(board: Board, exec: Exec): Sampler {
  let reading: Promise<void> | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  const read = async () => {
    const [table, traffic] = await Promise.all([
      observeNftTable(exec, 'inet', tableName),
      board.dataPath?.tunnel.kind === 'present'
        ? observeWireGuardTraffic(exec, board.config.tunnel.interface)
        : undefined,
    ]);
    if (board.dataPath !== undefined) board.dataPath = { ...board.dataPath, table };
    if (traffic !== undefined) board.noteTraffic(traffic[0]);
  };
  return async () => {
    if (performance.now() - readAtMs < freshMs) return;
    reading ??= read()
      .catch((error: unknown) => {
        // The data path's own pass meets the same trouble, and says it.
        if (!(error instanceof TributaryError)) throw error;
      })
      .finally(() => {
        reading = undefined;
        readAtMs = performance.now();
      });
    await reading;
  };
}
