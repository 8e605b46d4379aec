import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Setting } from '../../../src/config/settings.ts';
import type { TributaryError } from '../../../src/errors/codes.ts';
import type { Facts } from '../../../src/health/facts.ts';
import { formatHostPort } from '../../../src/lib/host-port.ts';
import {
  createStatusServer,
  type StatusListen,
  type StatusServer,
} from '../../../src/status/server.ts';
import type { AgentControl, StatusSource } from '../../../src/status/source.ts';
import { now, providingFacts } from '../../../tools/docs/sample-facts.ts';
import { makeSource } from '../../../tools/docs/sample-source.ts';

const settingNames = [
  'provide.mode',
  'provide.cap.bytes',
  'provide.rate_limit.line',
  'provide.schedule',
];

/** What a test may change while the server runs. */
interface FixtureState {
  facts: Facts;
  isHealthy: boolean;
  stalledLoops: readonly string[];
  /** What the answers failed by. */
  readonly failures: unknown[];
  reload: () => Promise<void>;
  readonly commands: (readonly [
    mode: string,
    forSeconds: number | undefined,
    limitBitsPerSecond?: number,
  ])[];
  readonly pageProblems: TributaryError[];
  settings: readonly Setting[];
  changeSetting: AgentControl['changeSetting'];
  restart: AgentControl['restart'];
}

/** A real status server in a directory of its own, with a control that only remembers. */
export interface StatusFixture extends AsyncDisposable {
  readonly directory: string;
  readonly socketPath: string;
  readonly state: FixtureState;
  readonly server: StatusServer;
  start(): Promise<void>;
}

export async function createStatusFixture(
  listen: StatusListen | 'no-page' = { host: '127.0.0.1', port: 0 },
  more: Partial<StatusSource> = {},
): Promise<StatusFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-status-'));
  const socketPath = join(directory, 'run', 'tributary.sock');
  const state = makeState(providingFacts);
  const onPageProblem = (problem: TributaryError) => void state.pageProblems.push(problem);
  const server = createStatusServer({
    source: { ...createSource(state), ...more },
    listen: listen === 'no-page' ? undefined : listen,
    socketPath,
    ownNames: () => ['kitchen.example.org', 'Proxy.Example.net'],
    onPageProblem,
  });
  return {
    directory,
    socketPath,
    state,
    server,
    start: async () => void (await server.keepOpen()),
    async [Symbol.asyncDispose]() {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** ADDRESS:PORT of its page. */
export function pageOf(server: StatusServer): string {
  const page = server.pageAddress();
  if (page === undefined) throw new Error('the page does not listen');
  return formatHostPort(page);
}

function makeState(facts: Facts): FixtureState {
  return {
    facts,
    isHealthy: true,
    stalledLoops: [],
    failures: [],
    reload: async () => undefined,
    commands: [],
    pageProblems: [],
    settings: settingNames.map((key) => ({ key, text: '', from: null, overruledBy: null })),
    changeSetting: async () => undefined,
    restart: undefined,
  };
}

function createSource(state: FixtureState): StatusSource {
  return {
    ...makeSource(state.facts),
    facts: () => state.facts,
    health: () => ({
      isHealthy: state.isHealthy,
      line: state.isHealthy ? 'providing' : 'connecting for 400 s',
    }),
    stalledLoops: () => state.stalledLoops,
    noteFailure: (error) => void state.failures.push(error),
    control: createControl(state),
  };
}

function createControl(state: FixtureState): AgentControl {
  return {
    async setOverride(mode, forSeconds, limit) {
      state.commands.push(limit === undefined ? [mode, forSeconds] : [mode, forSeconds, limit]);
      const until =
        forSeconds === undefined ? undefined : new Date(now.getTime() + forSeconds * 1000);
      const override = { mode, until };
      state.facts = {
        ...state.facts,
        provide: { ...state.facts.provide, override, effective: mode },
      };
    },
    async clearOverride() {
      state.commands.push(['cleared', undefined]);
      const { configured } = state.facts.provide;
      state.facts = {
        ...state.facts,
        provide: { ...state.facts.provide, override: undefined, effective: configured },
      };
    },
    reload: () => state.reload(),
    async selfTest() {
      state.commands.push(['tried', undefined]);
    },
    get restart() {
      return state.restart;
    },
    settings: async () => state.settings,
    changeSetting: (change) => state.changeSetting(change),
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  readonly bytes: Buffer;
}

/** One request to `address:port` or to a socket's path. */
export function ask(
  where: string,
  path: string,
  options: {
    readonly method?: string;
    readonly body?: string;
    readonly host?: string;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Answer> {
  const [hostname, port] = where.split(':');
  const target = where.startsWith('/') ? { socketPath: where } : { hostname, port };
  return new Promise((resolve, reject) => {
    const headers = { Host: options.host ?? 'localhost', Connection: 'close', ...options.headers };
    const outgoing = request(
      { ...target, path, method: options.method ?? 'GET', headers },
      async (incoming) => {
        const chunks: Buffer[] = await incoming.toArray();
        const bytes = Buffer.concat(chunks);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text: bytes.toString('utf8'),
          bytes,
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end(options.body);
  });
}
