import { once } from 'node:events';
import * as http from 'node:http';
import { isIPv4 } from 'node:net';
import { askByDatagram } from './datagram.ts';

const gatewayDevice = 'urn:schemas-upnp-org:device:InternetGatewayDevice:1';
const search = `M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: "ssdp:discover"\r\nMX: 1\r\nST: ${gatewayDevice}\r\n\r\n`;
const mostBytes = 64 * 1024;
const patienceMs = 3000;

/**
 * The router's public IPv4 address by UPnP, without mapping anything; undefined if it does not
 * tell. It is outside input.
 */
export async function askUpnpRouter(
  router: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const request = () => Buffer.from(search);
  const decode = (bytes: Buffer) => /^location:[ \t]*(\S+)/im.exec(bytes.toString('latin1'))?.[1];
  const location = await askByDatagram(
    { host: router, port: 1900, request, decode, waitsMs: [1000, 1500] },
    signal,
  );
  const place = toPlaceOn(router, location ?? '');
  const description = place && (await talk(place, { method: 'GET' }, signal));
  const service = findConnectionService(description ?? '');
  const control = service && toPlaceOn(router, service.controlUrl, place);
  if (service === undefined || control === undefined) return undefined;
  const headers = {
    'content-type': 'text/xml; charset="utf-8"',
    soapaction: `"${service.type}#GetExternalIPAddress"`,
  };
  const answer = await talk(
    control,
    { method: 'POST', headers, body: renderCall(service.type) },
    signal,
  );
  return readExternalAddress(answer ?? '');
}

/** The first service in the router's description that knows the public address. */
export function findConnectionService(
  xml: string,
): { readonly type: string; readonly controlUrl: string } | undefined {
  for (const [, block = ''] of xml.matchAll(/<service>([\s\S]*?)<\/service>/g)) {
    const type =
      /<serviceType>\s*(urn:schemas-upnp-org:service:WAN(?:IP|PPP)Connection:\d)\s*</.exec(
        block,
      )?.[1];
    const controlUrl = /<controlURL>\s*([^<\s]+)\s*</.exec(block)?.[1];
    if (type !== undefined && controlUrl !== undefined) return { type, controlUrl };
  }
  return undefined;
}

/** The address in an answer; undefined if it holds no IPv4 address. */
export function readExternalAddress(xml: string): string | undefined {
  const address = /<NewExternalIPAddress[^>]*>\s*([\d.]+)\s*</.exec(xml)?.[1];
  return address !== undefined && isIPv4(address) ? address : undefined;
}

/** A URL on the router itself; undefined for one that leads elsewhere. */
export function toPlaceOn(router: string, text: string, base?: URL): URL | undefined {
  const url = URL.parse(text, base?.href);
  return url?.protocol === 'http:' && url.hostname === router && url.username === ''
    ? url
    : undefined;
}

function renderCall(type: string): string {
  return `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body><u:GetExternalIPAddress xmlns:u="${type}"/></s:Body></s:Envelope>`;
}

/**
 * The body of a good answer; undefined for an error, for an answer that is late or too long, and
 * for a redirection, which is not followed.
 */
async function talk(
  url: URL,
  { body, ...options }: http.RequestOptions & { readonly body?: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const asked = http
    .request(url, { ...options, agent: false, signal })
    .on('error', () => undefined);
  const deadline = setTimeout(() => asked.destroy(), patienceMs);
  try {
    asked.end(body);
    const [answer]: http.IncomingMessage[] = await once(asked, 'response');
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of answer ?? []) {
      parts.push(part);
      length += part.length;
      if (length > mostBytes) return undefined;
    }
    return answer?.statusCode === 200 ? Buffer.concat(parts).toString('utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(deadline);
    asked.destroy();
  }
}
