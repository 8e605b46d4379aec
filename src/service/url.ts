import { isIPv4 } from 'node:net';
import type { Names } from '../lib/connect-in-turn.ts';
import { ServiceError } from './errors.ts';

export interface ServiceAddress {
  readonly baseUrl: string;
  /** False by default. */
  readonly allowInsecureHttp?: boolean;
  /**
   * Returns the only certificates (PEM) that may vouch for the service. It is called at each
   * connection; undefined for the authorities that Node knows.
   */
  readonly certificateAuthority?: (() => string | undefined) | undefined;
  /** How its name is resolved: by default by the system. */
  readonly names?: Names | undefined;
}

/**
 * The base URL, checked to be safe for sending tokens.
 * @throws configuration-invalid, insecure-url
 */
export function parseServiceUrl({ baseUrl, allowInsecureHttp }: ServiceAddress): URL {
  const url = URL.parse(baseUrl);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new ServiceError(
      'configuration-invalid',
      'service.base_url: not an http or https address',
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    const message = 'service.base_url: a user, password, query or fragment has no place there';
    throw new ServiceError('configuration-invalid', message);
  }
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopback(url.hostname)) {
    const message = `service.base_url: ${url.host} is asked without TLS, so tokens could be read on the way; use https://`;
    throw new ServiceError('insecure-url', message);
  }
  return url;
}

/** Path of an operation below the base URL, which may have a path of its own. */
export function joinOperationPath(base: URL, path: `/${string}`): string {
  return `${base.pathname.replace(/\/+$/, '')}${path}`;
}

/**
 * True for a host name that never leaves this machine: 127/8, ::1 (in brackets or not), localhost.
 */
export function isLoopback(hostname: string): boolean {
  return (
    ['localhost', '[::1]', '::1'].includes(hostname) ||
    (isIPv4(hostname) && hostname.startsWith('127.'))
  );
}
