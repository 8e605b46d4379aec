import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { hasCode, messageOf, TributaryError } from '../../src/errors/codes.ts';
import { formatBytes } from '../../src/lib/units.ts';
import { nextStep, readDemoOptions, usage } from './demo-options.ts';
import { describeSealing, describeSource, readEarned } from './demo-source.ts';
import {
  createLab,
  type Lab,
  type LabOptions,
  type Outcome,
  waitForDownload,
  webPort,
} from './lab.ts';
import { LabError } from './lab-error.ts';
import { addresses, isInsideLab } from './network.ts';
import { plotThroughput, type Reading } from './throughput-plot.ts';

type Say = (line: string) => void;

const downloadBytes = 100_000_000;
const leastBytes = 10_000_000;
/** The exit code that shells use for an end by SIGINT. */
const interrupted = 130;

const picture = `
    consumer ─── service ─── Internet ─── home router ─┬─ NAS
                    ┊                                  └─ device, with Tributary
                    └┄┄┄┄┄┄┄┄┄┄┄┄ WireGuard tunnel ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘
`;

async function main(): Promise<void> {
  const { json, keep, help, profile, source } = readDemoOptions(process.argv.slice(2));
  if (help) return void process.stdout.write(`${usage}\n`);
  if (!isInsideLab())
    throw new TributaryError(
      'usage-invalid',
      'start it with `npm run demo`, which makes the namespaces',
    );
  // With --json a program reads standard output, so the lines for people go to standard error.
  const stream = json ? process.stderr : process.stdout;
  const say: Say = (line) => void stream.write(`${paintLine(line, stream)}\n`);
  const isTunnel = source === 'wireguard';
  if (stream.isTTY)
    say(isTunnel ? picture : picture.replace('WireGuard tunnel', 'network protocol'));
  const result = await demonstrate({ profile, source }, say, { isKept: keep });
  say(`\nNext: ${nextStep()}`);
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
}

/**
 * A line of the demonstration, coloured if the stream is a terminal with colours (NO_COLOR is
 * obeyed).
 */
function paintLine(line: string, stream: NodeJS.WriteStream): string {
  return line
    .replace(/^ {2}\w+( none)?(?= {2})/, (label) => styleText('bold', label, { stream }))
    .replaceAll(/\brefused\b|: yes$|All as promised\.$/g, (good) =>
      styleText('green', good, { stream }),
    )
    .replace(/http:\/\/127\S+/, (address) => styleText('cyan', address, { stream }));
}

/**
 * The main job, step by step. Each step really tries what it says.
 * @throws LabError with the step's reason
 */
async function demonstrate(
  { profile, source }: Pick<LabOptions, 'profile' | 'source'>,
  say: Say,
  { isKept }: { readonly isKept: boolean },
) {
  say('Tributary: a device, its service, a consumer and the Internet, on six hosts made for this.');
  const lab = await createLab({ id: 'demo', profile, source, distDirectory: __dirname });
  const interrupt = () => {
    process.exitCode = interrupted;
    void lab.remove().finally(() => process.exit(interrupted));
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const end = lab.consumer === undefined ? 'a real WireGuard end' : "the platform's end";
    say(`  service     ${lab.baseUrl} (profile ${profile}) with ${end}`);
    const agentStartedAtMs = performance.now();
    const agent = lab.startAgent();
    const providing = await lab.waitForStatus((status) => status.phase === 'providing');
    const secondsToProviding = Number(((performance.now() - agentStartedAtMs) / 1000).toFixed(2));
    const { client } = providing;
    const { line, backend, isAlive: handshake } = describeSource(providing);
    say(`  registered  as ${client.id} ("${client.description}")`);
    say(line);
    say(
      `  providing   in mode ${providing.provide.effective}, ${secondsToProviding} s after the start`,
    );
    const page = await offerPage(lab);
    if (page !== undefined) say(`  page        ${page} on this machine, until the end`);
    await waitForConsumer(lab);
    const internet = await downloadThroughDevice(lab, say);
    await checkAlive(lab);
    const lan = await lab.probe(addresses.nas, webPort);
    const host = await lab.probe(addresses.device, webPort);
    say(
      `  home        the consumer tries the NAS ${addresses.nas}: ${lan}; the device itself: ${host}`,
    );
    const modeNone = await tryModeNone(lab, say);
    const { clients } = JSON.parse(await lab.runCommand('service', 'clients', '--json')) as {
      clients: unknown[];
    };
    const registrations = clients.length;
    say(`  service     lists ${registrations} ${registrations === 1 ? 'client' : 'clients'}`);
    const result = {
      clientId: client.id ?? '',
      backend: backend ?? '',
      handshake,
      internet,
      lan,
      host,
      modeNone,
      registrations,
      secondsToProviding,
    };
    judge(result);
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    if (isKept) await stay(lab, say);
    await lab.consumer?.stop();
    const sealed = describeSealing(await lab.status());
    if (sealed !== undefined) say(sealed);
    agent.kill('SIGTERM');
    const exitCode = await agent.exited;
    if (exitCode !== 0) throw new LabError(`stopping the agent: it exited with ${exitCode}`);
    const earned = await readEarned(lab);
    if (earned !== undefined) say(earned.line);
    say('  stopped     and took everything down again. All as promised.');
    return { ...result, earnedUsdc: earned?.usdc ?? null };
  } finally {
    await lab.remove();
  }
}

/**
 * Waits for a consumer's traffic: about once a second the service decides which provider gets
 * consumers.
 */
async function waitForConsumer(lab: Lab): Promise<void> {
  await lab.consumer?.isReady;
  for (let attempt = 0; attempt < 10; attempt += 1) {
    if ((await lab.probe(addresses.internet, webPort)) === 'reached') return;
  }
  throw new LabError('the consumer never reached the Internet host through the device');
}

async function downloadThroughDevice(lab: Lab, say: Say) {
  const readings: Reading[] = [];
  const running = lab.startDownload(downloadBytes, 90, (line) => {
    const { progress, seconds } = JSON.parse(line) as { progress?: number; seconds: number };
    if (progress !== undefined) readings.push({ bytes: progress, seconds });
    if (progress !== undefined && process.stderr.isTTY) {
      process.stderr.write(
        `\r  internet    ${formatBytes(progress)} of ${formatBytes(downloadBytes)} \x1b[K`,
      );
    }
  });
  const { bytes, seconds } = await waitForDownload(running);
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  const rate = Math.round((bytes * 8) / seconds / 1e6);
  say(
    `  internet    the consumer downloaded ${formatBytes(bytes)} in ${seconds} s through the device: ${rate} Mbit/s`,
  );
  const plot = plotThroughput([...readings, { bytes, seconds }], 48);
  if (plot !== '') say(`              ${plot}`);
  return { bytes, seconds };
}

/**
 * Checks that the servers answer, because a refusal only means something where a server could be
 * reached.
 */
async function checkAlive(lab: Lab): Promise<void> {
  for (const address of [addresses.nas, addresses.device]) {
    const outcome = await lab.probeFrom('home', address, webPort);
    if (outcome !== 'reached') throw new LabError(`${address} does not answer at home either`);
  }
}

async function tryModeNone(lab: Lab, say: Say): Promise<Outcome> {
  await lab.runCommand('provide', 'none');
  const outcome = await lab.probe(addresses.internet, webPort);
  say(`  mode none   the consumer tries the Internet host: ${outcome}`);
  await lab.runCommand('provide', 'auto');
  return outcome;
}

/** Checks every promise of the demonstration. @throws LabError with the ones that were broken */
function judge(result: Omit<Awaited<ReturnType<typeof demonstrate>>, 'earnedUsdc'>): void {
  const broken = [
    !result.handshake && 'nobody answered at the other end',
    result.internet.bytes < leastBytes && `only ${result.internet.bytes} bytes came through`,
    result.lan !== 'refused' && "the owner's NAS was reached",
    result.host !== 'refused' && 'the device itself was reached',
    result.modeNone !== 'refused' && 'mode none let a connection through',
    result.registrations !== 1 && `${result.registrations} clients were registered`,
  ].filter((reason) => reason !== false);
  if (broken.length > 0) throw new LabError(broken.join('; '));
}

/**
 * Offers the page on the machine's own loopback, which enter-with-page.sh has prepared; undefined
 * if the lab was entered without it.
 */
async function offerPage(lab: Lab): Promise<string | undefined> {
  const folder = process.env.LAB_OF_TRIBUTARY_PAGE;
  if (folder === undefined) return undefined;
  await lab.bridgePage(`${folder}/socket`);
  return readFileSync(`${folder}/address`, 'utf8');
}

async function stay(lab: Lab, say: Say): Promise<void> {
  for (const host of ['device', 'consumer'] as const) {
    await writeScript(lab, host, [
      `PATH=${lab.directory}:$PATH:/usr/sbin:/sbin exec ${process.env.LAB_OF_TRIBUTARY_ENTER}`,
      `ip netns exec ${lab.network.netns(host)} "$@"`,
    ]);
  }
  await writeScript(lab, 'tributary', ['exec', ...lab.command('"$@"').slice(4)]);
  say(
    '\n  The mode is back to public; the service takes that up to a minute later, as a mode must not flap.',
  );
  say('\n  It stays until Ctrl-C. From another terminal, as the same user:');
  say(`    cd ${lab.directory}`);
  say('    ./device tributary status');
  say('    ./device nft list table inet tributary');
  say('    ./device wg show');
  say(`    ./consumer curl -o /dev/null http://${addresses.internet}/bytes/100000000`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}

function writeScript(lab: Lab, name: string, words: readonly string[]): Promise<void> {
  return writeFile(join(lab.directory, name), `#!/bin/sh\n${words.join(' ')}\n`, { mode: 0o755 });
}

main().catch((error: unknown) => {
  // Ctrl-C ends what others still wait for, which is no failure.
  if (process.exitCode === interrupted) return;
  const isMisused = hasCode(error, 'usage-invalid');
  const [what, more] = isMisused ? ['demo', `${usage}\n`] : ['the demonstration failed', ''];
  process.stderr.write(`tributary: ${what}: ${messageOf(error)}\n${more}`);
  process.exitCode = isMisused ? 64 : 1;
});
