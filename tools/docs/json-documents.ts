import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { listCommands, listOptions } from '../../src/cli/frame/add-command.ts';
import { createProgram } from '../../src/cli/program.ts';
import { fail, pass } from '../../src/doctor/check.ts';
import { toDoctorDocument } from '../../src/doctor/report.ts';
import { statusDocument } from '../../src/status/document.ts';
import { answerHistory } from '../../src/status/page/history.ts';
import { answer, ownerRoutes } from '../../src/status/routes.ts';
import { DocumentationError } from './documentation-error.ts';
import {
  consumerSamples,
  createdSamples,
  planSample,
  platformSamples,
  sandboxSamples,
  seedSample,
  setupSample,
} from './json-samples.ts';
import { readShape, type Shape, toShape } from './json-shape.ts';
import { silent } from './program-help.ts';
import { providingFacts } from './sample-facts.ts';
import { makeHistoryRow } from './sample-history-row.ts';
import { makeSource } from './sample-source.ts';

/**
 * A document that is printed as JSON: described by its schema if it has one, otherwise by what is
 * really printed.
 */
export interface JsonDocument {
  /** What is typed or asked for, without `tributary` and `--json`. */
  readonly title: string;
  readonly about: string;
  /** undefined where another document has it. */
  readonly shape: Shape | undefined;
}

/**
 * All of them.
 * @throws DocumentationError for a command that prints JSON and is missing here
 */
export async function listJsonDocuments(program: Command): Promise<readonly JsonDocument[]> {
  const documents = [
    ...(await listLocalDocuments()),
    ...listServiceDocuments(),
    ...listSandboxDocuments(),
  ];
  const missing = listJsonCommands(program, '').filter(
    // These print a schema, whatever the interface answers, what another program measured, and the
    // journal as it is.
    (name) =>
      !['config schema', 'service call', 'demo', 'logs'].includes(name) &&
      !documents.some(({ title }) => title === name),
  );
  if (missing.length === 0) return documents;
  throw new DocumentationError(
    `tools/docs/json-documents.ts: add a row for ${missing.join(', ')}: to serviceCommands where the service is asked, otherwise to listLocalDocuments`,
  );
}

function listJsonCommands(command: Command, above: string): readonly string[] {
  return listCommands(command).flatMap((own) => {
    const name = `${above}${own.name()}`;
    const hasJson = listOptions(own).own.some(({ long }) => long === '--json');
    return [...(hasJson ? [name] : []), ...listJsonCommands(own, `${name} `)];
  });
}

async function listLocalDocuments(): Promise<readonly JsonDocument[]> {
  return [
    {
      title: 'status',
      about:
        'Version 1; the same as `/status.json`. With `--watch` there is one on each line, or `error` with `code` and `message` while the agent does not answer.',
      shape: toShape(statusDocument),
    },
    ...['provide', 'pause', 'resume'].map((title) => {
      return { title, about: 'The part `provide` of `status`.', shape: undefined };
    }),
    {
      title: 'health',
      about: 'It exits with 0 or 1 besides.',
      shape: readShape([await askRoute('/health')]),
    },
    {
      title: 'doctor',
      about: 'In the order in which the checks are made.',
      shape: readShape([doctorSample]),
    },
    {
      title: 'setup',
      about: 'Where it succeeds; `phase` is null where no agent runs yet.',
      shape: readShape([
        setupSample,
        { ...setupSample, profile: null, cap: null, phase: null, page: null },
      ]),
    },
    {
      title: 'login',
      about: 'Where it succeeds.',
      shape: readShape([{ signedIn: true, networkName: '', isRunning: true }]),
    },
    {
      title: 'logout',
      about: 'Where it succeeds.',
      shape: readShape([{ signedIn: false, networkName: '' }]),
    },
    {
      title: 'reload',
      about: 'Where the agent loaded it.',
      shape: readShape([{ reloaded: true }]),
    },
    ...['start', 'stop', 'restart'].map((title) => {
      return { title, about: 'Where it is done.', shape: readShape([{ command: '' }]) };
    }),
    {
      title: 'plan',
      about: 'Lists of lines, as nft and ip are given them.',
      shape: readShape([planSample]),
    },
    ...(await listConfigDocuments()),
    {
      title: '/history.json',
      about:
        'Version 1, over HTTP and the socket: `?unit=hour` or `day`, and `&since=` with a time.',
      shape: readShape([await askHistory()]),
    },
  ];
}

async function askRoute(path: string): Promise<unknown> {
  const page = () => Promise.reject(new Error('the page is not asked for'));
  const request = {
    method: 'GET',
    path,
    query: new URLSearchParams(),
    headers: {},
    address: undefined,
    body: '',
  };
  return JSON.parse(
    (await answer(ownerRoutes, { ...makeSource(providingFacts), page, request })).body,
  );
}

async function askHistory(): Promise<unknown> {
  const row = makeHistoryRow({ startMs: 0, serviceOnlineSeconds: 1, serviceBytes: 1 });
  const source = { ...makeSource(providingFacts), history: () => [row] };
  return JSON.parse((await answerHistory(source, new URLSearchParams())).body);
}

const doctorSample = toDoctorDocument([
  { id: 'node', title: '', finding: pass('found'), becauseOf: undefined },
  { id: 'dns', title: '', finding: fail('found', 'fix'), becauseOf: 'uplink' },
]);

/** What the commands really print about a configuration file. */
async function listConfigDocuments(): Promise<readonly JsonDocument[]> {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-docs-'));
  const [good, bad] = [join(directory, 'good.yaml'), join(directory, 'bad.yaml')];
  await writeFile(
    good,
    'service: { base_url: "https://service.example" }\nstatus: { listen: "0.0.0.0:9469" }\n',
  );
  await writeFile(bad, 'service: 5\n');
  const run = (file: string, ...words: readonly string[]) =>
    runForJson(['config', ...words, '--json', '--config', file, '--state-dir', directory]);
  try {
    return [
      {
        title: 'config check',
        about: 'With problems it exits with 78 besides.',
        shape: readShape([await run(good, 'check'), await run(bad, 'check')]),
      },
      {
        title: 'config show',
        about: 'Amounts in bytes, rates in bits per second.',
        shape: readShape([await run(good, 'show')]),
      },
      {
        title: 'config set',
        about:
          'What was written, and what came of it: `taken-over`, `not-taken-over`, `overruled` by the environment, `refused` or `no-agent`.',
        shape: readShape([await run(good, 'set', 'log.level', 'warn')]),
      },
      {
        title: 'config get',
        about: 'One key, as `config show` has it.',
        shape: readShape([
          await run(good, 'get', 'log.level'),
          await run(good, 'get', 'connect.unpaid_limit'),
          await run(good, 'get', 'provide.time_zone'),
        ]),
      },
      {
        title: 'config unset',
        about: 'As `config set` does it; `wasSet` is false where the file did not have the key.',
        shape: readShape([await run(good, 'unset', 'log.level')]),
      },
      {
        title: 'config edit',
        about: 'What came of the change, as of `config set`; `unchanged` where the text stayed.',
        shape: readShape([await run(good, 'edit'), await run(good, 'edit')]),
      },
    ];
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function runForJson(argv: readonly string[]): Promise<unknown> {
  const written: string[] = [];
  const program = await createProgram(argv, {
    ...silent,
    stdout: { write: (text) => void written.push(text) },
    environment: { TRIBUTARY_AUTH_CODE: 'a-code', EDITOR: 'sed -i s/0.0.0.0/127.0.0.1/' },
  });
  // A configuration with problems is printed, and is an error too.
  await program.parseAsync(argv, { from: 'user' }).catch((error: unknown) => {
    if (written.length === 0) throw error;
  });
  return JSON.parse(written.join(''));
}

/** What the commands really printed: tests compare these files with it, and write them. */
const printed = join(import.meta.dirname, 'printed');

/** Each with the files of what it printed, by the beginning of their names. */
const serviceCommands: Readonly<Record<string, readonly [files: string, about: string]>> = {
  'device list': ['device-list', 'The devices of the network.'],
  'device show': ['device-show', 'The client, as `service clients` has it.'],
  'device share': ['device-share', 'The code that was made.'],
  'device add': ['device-add', 'The device that the code names.'],
  'device associations': ['device-associations', 'What waits, and what is shared.'],
  'device confirm': ['device-confirm', 'The share that was confirmed.'],
  'device unshare': ['device-unshare', 'What was ended.'],
  'device rename': ['device-rename', 'The device by its new name.'],
  'device pair': ['device-pair', 'What this device has become.'],
  'device provide': ['device-provide', 'The mode as the service has it now.'],
  'device remove': ['device-remove', 'The device that was removed.'],
  stats: ['stats-network', 'Without a device: every device of the network, in one window.'],
  'stats --client': ['stats-device', 'One device.'],
  'stats --local': [
    'stats-local',
    'What this device counted itself; `stats` alone prints it where the service cannot be asked.',
  ],
  'service clients': [
    'network-clients',
    'Every client, one after the other as the service lists them.',
  ],
  'service locations': ['network-locations', 'Where providers are, or what fits the words.'],
  'service providers': ['network-providers', 'The best first.'],
  'service spec': ['network-spec', 'What the words come down to.'],
  'service reliability': ['network-reliability', 'The window that the service reports.'],
  'service leaderboard': ['network-leaderboard', 'The networks that provided the most.'],
  'account provided': ['account-provided', 'What the network provided since its beginning.'],
  'account payments': ['account-payments', 'What was paid out, the latest first.'],
  'account points': ['account-points', 'The points of the network, the latest first.'],
  'account add-wallet': ['account-add-wallet', 'The wallet that was registered.'],
  'account remove-wallet': ['account-remove-wallet', 'The wallet that was removed.'],
  'account wallets': ['account-wallets', 'The wallets of the network.'],
  'account payout-wallet': ['account-payout-wallet', 'The wallet that is paid.'],
  'account upgrade': ['account-upgrade', 'What became of the guest.'],
  'account reset-password': ['account-reset-password', 'Where a code was sent.'],
  'account set-password': ['account-set-password', 'Where it succeeds.'],
  'auth code': ['auth-code', 'The code that was made.'],
  'auth status': [
    'auth-status',
    'As whom this device is signed in; a time is null where the token has no end.',
  ],
};

function listServiceDocuments(): readonly JsonDocument[] {
  return Object.entries(serviceCommands).map(([title, [beginning, about]]) => {
    const files = readdirSync(printed).filter((file) =>
      new RegExp(`^cli-${beginning}(-[a-z0-9]+)*\\.json$`).test(file),
    );
    if (files.length === 0)
      throw new DocumentationError(
        `tools/docs/printed: add cli-${beginning}.json, what ${title} --json prints: a test in test/flow/commands/ writes it by expectGolden('${beginning}.json', …)`,
      );
    const samples = files.map((file) => JSON.parse(readFileSync(join(printed, file), 'utf8')));
    return { title, about, shape: readShape(samples) };
  });
}

const sandboxAbout: ReadonlyMap<string, string> = new Map([
  ['sandbox', 'On the first line, once it serves.'],
  ['sandbox balance', 'What was set.'],
  ['sandbox drain', 'What was asked for.'],
  ['sandbox hasten', 'What was asked for.'],
  ['sandbox connections', 'The clients that are connected now.'],
  ['sandbox contracts', 'The newest contracts first.'],
  ['sandbox money', 'Networks that used or earned something.'],
  [
    'sandbox consumer',
    'On the first line the device and its consumers, once they are connected; on the last one, when they were stopped, what they moved.',
  ],
]);

function listSandboxDocuments(): readonly JsonDocument[] {
  const samples: Readonly<Record<string, readonly unknown[]>> = {
    sandbox: sandboxSamples,
    'sandbox network': [createdSamples.createNetwork],
    'sandbox guest': [createdSamples.createGuest],
    'sandbox auth-code': [createdSamples.createAuthCode],
    'sandbox reset-code': [createdSamples.createResetCode],
    'sandbox adopt-code': [createdSamples.createAdoptCode],
    'sandbox wallet': [createdSamples.addWallet],
    'sandbox locate': [createdSamples.locateClient],
    'sandbox seed': [seedSample],
    'sandbox balance': [createdSamples.setBalance],
    'sandbox drain': [createdSamples.drainPlatform],
    'sandbox hasten': [createdSamples.hastenPlatform],
    'sandbox consumer': consumerSamples,
    'sandbox connections': platformSamples.connections,
    'sandbox contracts': platformSamples.contracts,
    'sandbox money': platformSamples.money,
  };
  return Object.entries(samples).map(([title, printed]) => {
    return { title, about: sandboxAbout.get(title) ?? 'What was made.', shape: readShape(printed) };
  });
}
