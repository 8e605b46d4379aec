import { toProvideMode } from '../service/profiles.ts';
import type { Backend, Handler } from './handler.ts';

/** set-provide: the mode lasts, and consumers' traffic follows it, before the answer goes out. */
export function answerSetProvide(backend: Backend): Handler<'setProvide'> {
  return async ({ request, network }) => {
    const mode = toProvideMode(backend.dialect.profile, request.provide_mode);
    if (mode === undefined) return { error: { message: `Unknown provide mode ${request.provide_mode}.` } };
    const client = backend.clients.find(network.networkId, request.client_id);
    if (client === undefined) return { error: { message: 'Client does not exist.' } };
    backend.clients.setProvideMode(client.clientId, mode);
    await backend.reconcile();
    return { provide_mode: request.provide_mode };
  };
}
