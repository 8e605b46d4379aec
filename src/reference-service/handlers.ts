import { answerAuthClient } from './answer-auth-client.ts';
import { answerClients } from './answer-clients.ts';
import { answerCodeLogin } from './answer-code-login.ts';
import { answerProviderLastN } from './answer-provider.ts';
import { answerProviders, answerProvidersLastN } from './answer-providers.ts';
import { answerSetProvide } from './answer-set-provide.ts';
import type { Backend, Handlers } from './handler.ts';

/** The service's side of the operations table. */
export function createHandlers(backend: Backend): Handlers {
  return {
    authClient: answerAuthClient(backend),
    clients: answerClients(backend),
    codeLogin: answerCodeLogin(backend),
    setProvide: answerSetProvide(backend),
    providers: answerProviders(backend),
    providersLastN: answerProvidersLastN(backend),
    providerLastN: answerProviderLastN(backend),
  };
}
