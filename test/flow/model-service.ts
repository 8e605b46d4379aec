import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
  type Behaviour,
  type NastyService,
  type SeenRequest,
  sendJson,
  startNastyService,
} from './nasty-service.ts';

/** How the model speaks and what it leaves out. */
export interface ModelOptions {
  readonly profile?: 'documented' | 'production';
  /** Answers in the model's place, before it did anything; undefined lets the model do its work. */
  readonly before?: (request: SeenRequest, turn: number) => Behaviour | undefined;
  /** Answers in the model's place after it did its work. */
  readonly after?: (request: SeenRequest, turn: number) => Behaviour | undefined;
  /** Last word on an answer's fields. */
  readonly alter?: (
    request: SeenRequest,
    answer: Record<string, unknown>,
  ) => Record<string, unknown>;
  /** Last word on a row as it is made. */
  readonly alterRow?: (row: Row) => Row;
}

export type Row = Record<string, unknown> & { readonly client_id: string };

export interface ModelService extends AsyncDisposable {
  readonly baseUrl: string;
  readonly rows: Row[];
  readonly service: NastyService;
  /** Clients made so far, also those removed since. */
  creates(): number;
}

/**
 * A service of two operations that does what the interface says, and then whatever a test wants
 * instead.
 */
export async function startModelService(options: ModelOptions = {}): Promise<ModelService> {
  const rows: Row[] = [];
  const turns = new Map<string, number>();
  let creates = 0;
  const create = (request: SeenRequest): Row => {
    creates += 1;
    const row = createRow(request, creates);
    rows.push(options.alterRow?.(row) ?? row);
    return rows.at(-1) as Row;
  };
  const work = (request: SeenRequest): Record<string, unknown> => {
    if (request.path === '/network/clients') return { clients: rows.length === 0 ? null : rows };
    const isNew = request.body.client_id === undefined;
    const row = isNew
      ? create(request)
      : rows.find((one) => one.client_id === request.body.client_id);
    return row === undefined
      ? { error: { message: 'Client does not exist.' } }
      : createAnswer(row, isNew, options.profile);
  };
  const behave = (request: SeenRequest, response: ServerResponse) => {
    const turn = (turns.get(request.path) ?? 0) + 1;
    turns.set(request.path, turn);
    const instead = options.before?.(request, turn);
    if (instead !== undefined) return instead(request, response);
    const answer = work(request);
    const afterwards =
      options.after?.(request, turn) ?? sendJson(options.alter?.(request, answer) ?? answer);
    return afterwards(request, response);
  };
  const service = await startNastyService(behave);
  return {
    baseUrl: service.baseUrl,
    rows,
    service,
    creates: () => creates,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** A token as the service makes them; its signature is nothing. */
export function makeJwt(claims: Record<string, unknown>): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encode({ alg: 'none' })}.${encode(claims)}.${Buffer.from('signature').toString('base64url')}`;
}

function createRow({ body }: SeenRequest, number: number): Row {
  return {
    client_id: randomUUID(),
    description: body.description,
    device_spec: body.device_spec,
    create_time: `2026-01-0${number}T00:00:00.123456789Z`,
    proxy_client: {
      proxy_host: 'proxy.example',
      http_proxy_url: '',
      wg_config: {
        wg_proxy_port: 51820,
        client_private_key: `private-${number}`,
        client_ipv4: `10.23.45.${number}`,
        config: `[Interface]\nPrivateKey = private-${number}`,
      },
    },
  };
}

/** Production issues the tunnel once, and names the client outside its token too. */
function createAnswer(
  row: Row,
  isNew: boolean,
  profile: ModelOptions['profile'],
): Record<string, unknown> {
  const jwt = makeJwt({ client_id: row.client_id });
  const issued = {
    keepalive_seconds: profile === 'production' ? 0 : 45.5,
    ...(row.proxy_client as object),
  };
  if (profile !== 'production')
    return { by_client_jwt: jwt, proxy_config_result: issued, error: null };
  return {
    by_client_jwt: jwt,
    client_id: row.client_id,
    ...(isNew ? { proxy_config_result: issued } : {}),
  };
}
