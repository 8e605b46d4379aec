import { readFileSync } from 'node:fs';
import {
  request as ask,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';

/*
 * A service in front of the reference service that spoils its answers as a file says, which it
 * reads for every request:
 *   node nasty-service.ts ADDRESS PORT UPSTREAM_ORIGIN SCRIPT_FILE
 * It prints one line for each request, "METHOD PATH", before it answers.
 */

/** How answers are spoilt, by path; `*` is every other path. */
export interface NastyScript {
  readonly answers?: Readonly<Record<string, NastyAnswer>>;
  /**
   * Replaces the WireGuard text of auth-client's answers; {KEY}, {ADDRESS}, {PEER} and {ENDPOINT}
   * become what was issued.
   */
  readonly wireGuardText?: string;
  /** Replaces `client_ipv4`, and {ADDRESS} in the text. */
  readonly address?: string;
  /** Replaces fields beside the text, such as `client_private_key`. */
  readonly beside?: Readonly<Record<string, string | number>>;
  readonly keepaliveSeconds?: number;
  /** How long it thinks before it answers. */
  readonly delayMs?: number;
  /** The number of the mode that it applies, whatever was asked. */
  readonly appliedMode?: number;
  /** What its clock says, in every answer's Date. */
  readonly date?: string;
}

export type NastyAnswer =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly text: string;
      readonly contentType?: string;
    }
  | { readonly kind: 'redirect' | 'truncated' | 'huge' | 'stalled' | 'reset' }
  /** Done by the service, and never answered. */
  | { readonly kind: 'lost' };

interface WireAnswer {
  readonly proxy_config_result?: {
    readonly keepalive_seconds?: number;
    readonly wg_config?: { readonly config: string; readonly client_ipv4: string };
  };
}

const [address = '', port = '', upstream = '', scriptFile = ''] = process.argv.slice(2);

createServer((incoming, response) => {
  process.stdout.write(`${incoming.method} ${incoming.url}\n`);
  const script = JSON.parse(readFileSync(scriptFile, 'utf8')) as NastyScript;
  if (script.date !== undefined) response.setHeader('date', script.date);
  setTimeout(() => respond(incoming, response, script), script.delayMs ?? 0);
}).listen(Number(port), address, () => process.stdout.write('listening\n'));

function respond(incoming: IncomingMessage, response: ServerResponse, script: NastyScript): void {
  const answer = script.answers?.[incoming.url ?? ''] ?? script.answers?.['*'];
  if (answer === undefined || answer.kind === 'lost')
    pass(incoming, response, { ...script, isLost: answer !== undefined });
  else spoil(response, answer);
}

function spoil(response: ServerResponse, answer: Exclude<NastyAnswer, { kind: 'lost' }>): void {
  response.on('error', () => undefined);
  switch (answer.kind) {
    case 'status':
      response
        .writeHead(answer.status, { 'content-type': answer.contentType ?? 'text/plain' })
        .end(answer.text);
      return;
    case 'redirect':
      response.writeHead(302, { location: 'http://192.0.2.10/sign-in' }).end();
      return;
    case 'truncated':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"by_client_jwt":', () => response.socket?.destroy());
      return;
    case 'huge':
      sendEndlessly(response);
      return;
    case 'stalled':
      response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
  }
}

function sendEndlessly(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

function pass(
  incoming: IncomingMessage,
  response: ServerResponse,
  script: NastyScript & { isLost: boolean },
): void {
  const outgoing = ask(`${upstream}${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers: incoming.headers,
  });
  outgoing.on('error', () => response.destroy());
  outgoing.on('response', (answered) => {
    let text = '';
    answered.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    answered.on('end', () => {
      if (script.isLost) {
        process.stdout.write(`lost ${incoming.url}\n`);
        response.destroy();
        return;
      }
      const body = incoming.url === '/network/auth-client' ? rewrite(text, script) : text;
      response.writeHead(answered.statusCode ?? 500, {
        'content-type': answered.headers['content-type'] ?? '',
      });
      response.end(body);
    });
  });
  if (incoming.url === '/device/set-provide' && script.appliedMode !== undefined)
    changeMode(incoming, outgoing, script.appliedMode);
  else incoming.pipe(outgoing);
}

/** Passes the request on with another mode, so that the service really applies that one. */
function changeMode(incoming: IncomingMessage, outgoing: ClientRequest, mode: number): void {
  let text = '';
  incoming.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  incoming.on('end', () => {
    const body = JSON.stringify({ ...(JSON.parse(text) as object), provide_mode: mode });
    outgoing.setHeader('content-length', Buffer.byteLength(body)).end(body);
  });
}

function rewrite(text: string, script: NastyScript): string {
  const answer = JSON.parse(text) as WireAnswer;
  const issued = answer.proxy_config_result;
  if (issued?.wg_config === undefined) return text;
  const { wg_config: wireGuard } = issued;
  const value = (key: string) =>
    new RegExp(`^${key} = (.*)$`, 'm').exec(wireGuard.config)?.[1] ?? '';
  const own = script.address ?? value('Address').replace(/\/.*/, '');
  const config = (script.wireGuardText ?? wireGuard.config)
    .replaceAll('{KEY}', value('PrivateKey'))
    .replaceAll('{ADDRESS}', own)
    .replaceAll('{PEER}', value('PublicKey'))
    .replaceAll('{ENDPOINT}', value('Endpoint'));
  return JSON.stringify({
    ...answer,
    proxy_config_result: {
      ...issued,
      keepalive_seconds: script.keepaliveSeconds ?? issued.keepalive_seconds,
      wg_config: { ...wireGuard, config, client_ipv4: `${own}/32`, ...script.beside },
    },
  });
}
