import { createLab, type Lab, waitForDownload, webPort } from '../lab/lab.ts';
import { LabError } from '../lab/lab-error.ts';
import { addresses, deviceUplink } from '../lab/network.ts';
import { startProcess } from '../lab/processes.ts';
import { computeMedian, computeRatio } from './medians.ts';

interface Sample {
  readonly megabitsPerSecond: number;
  readonly connectionsPerSecond: number;
}

const downloadBytes = 64 * 1024 ** 2;
/**
 * Every ceiling is switched on and none is reached, so that their cost is measured and not what
 * they refuse.
 */
const connections = {
  total: 100_000,
  per_consumer: 20_000,
  new_per_second: 100_000,
  half_open: 10_000,
};

const bare = `table inet tributary {
  chain forward { type filter hook forward priority filter; policy accept; }
  chain translate { type nat hook postrouting priority srcnat; policy accept; oifname "${deviceUplink}" masquerade; }
}
`;

/**
 * Connects and disconnects for three seconds, sixteen connections at a time. Prints how many
 * connections it made in a second.
 */
const connectAgain = `
const [address, port] = process.argv.slice(1);
const seconds = 3, until = performance.now() + seconds * 1000;
let done = 0;
const next = () => {
  if (performance.now() > until) return;
  const socket = require('node:net').connect(port, address, () => { done += 1; socket.resetAndDestroy(); });
  socket.on('error', () => undefined).on('close', next);
};
for (let index = 0; index < 16; index += 1) next();
setTimeout(() => { console.log('connections', done / seconds); process.exit(0); }, seconds * 1000);
`;

/**
 * `npm run bench -- rules`: the agent's own tunnel, alternately with its rules and with nothing but
 * masquerading.
 */
export async function benchRules({ rounds, distDirectory, isJson }: RulesBench): Promise<void> {
  const lab = await createLab({
    id: 'bench',
    profile: 'documented',
    distDirectory,
    config: { gateway: { connections } },
  });
  try {
    const agent = lab.startAgent();
    await lab.waitForStatus((status) => status.phase === 'providing');
    // The agent is stopped, because it would restore its rules.
    agent.kill('SIGSTOP');
    const listed = await lab.network.run(
      'device',
      'nft',
      '-s',
      'list',
      'table',
      'inet',
      'tributary',
    );
    const full = listed.replace(/("\S+") timeout .*(?= })/, '$1 timeout 1h');
    const samples = { full: [] as Sample[], bare: [] as Sample[] };
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, rules] of Object.entries({ full, bare })) {
        const script = 'printf %s "$1" | nft -f -';
        await lab.network.run(
          'device',
          'sh',
          '-c',
          script,
          '-',
          `table inet tributary\ndelete table inet tributary\n${rules}`,
        );
        const sample = await measure(lab);
        if (round > 0) samples[name as keyof typeof samples].push(sample);
      }
    }
    agent.kill('SIGCONT');
    agent.kill('SIGTERM');
    await agent.exited;
    const rows = (['megabitsPerSecond', 'connectionsPerSecond'] as const).map((what) => {
      const [withRules, without] = [samples.full, samples.bare].map((own) =>
        Math.round(computeMedian(own.map((one) => one[what]))),
      );
      return {
        what,
        withRules,
        without,
        ratio: computeRatio(withRules ?? Number.NaN, without ?? Number.NaN),
      };
    });
    const text = rows.map(
      ({ what, withRules, without, ratio }) =>
        `${what.padEnd(24)}${String(withRules).padStart(12)}${String(without).padStart(16)}${String(ratio).padStart(9)}\n`,
    );
    const head = `Medians of ${rounds} rounds, in turn: one tunnel with all rules and with none but masquerading.\n${''.padEnd(24)}${'all rules'.padStart(12)}${'masquerading'.padStart(16)}${'ratio'.padStart(9)}\n`;
    process.stdout.write(
      isJson ? `${JSON.stringify({ rounds, rows })}\n` : `${head}${text.join('')}`,
    );
  } finally {
    await lab.remove();
  }
}

interface RulesBench {
  readonly rounds: number;
  readonly distDirectory: string;
  readonly isJson: boolean;
}

async function measure(lab: Lab): Promise<Sample> {
  await waitForDownload(lab.startDownload(100_000, 20));
  const { bytes, seconds, isWhole } = await waitForDownload(lab.startDownload(downloadBytes, 60));
  if (!isWhole) throw new LabError(`a download ended after ${bytes} bytes`);
  const argv = lab.network.on(
    'consumer',
    process.execPath,
    '-e',
    connectAgain,
    addresses.internet,
    String(webPort),
  );
  const said = await startProcess({ argv }).waitForLine((line) => line.startsWith('connections'));
  return {
    megabitsPerSecond: (bytes * 8) / seconds / 1e6,
    connectionsPerSecond: Number(said.split(' ')[1]),
  };
}
