import { answerDeviceAssociations } from './answer-associations.ts';
import { answerAuthClient } from './answer-auth-client.ts';
import { answerClients } from './answer-clients.ts';
import { answerCodeCreate } from './answer-code-create.ts';
import { answerCodeLogin } from './answer-code-login.ts';
import { answerDeviceAdd } from './answer-device-add.ts';
import { answerFindProviders, answerFindProviders2 } from './answer-find-providers.ts';
import { answerLeaderboard } from './answer-leaderboard.ts';
import { answerFindLocations, answerProviderLocations } from './answer-locations.ts';
import { answerPasswordSet } from './answer-password-set.ts';
import { answerProviderLast90, answerProviderLastN } from './answer-provider.ts';
import { answerCreateProviderSpec } from './answer-provider-spec.ts';
import { answerProviders, answerProvidersLastN } from './answer-providers.ts';
import { answerReliability } from './answer-reliability.ts';
import { answerSetProvide } from './answer-set-provide.ts';
import { answerCreateShareCode } from './answer-share-code.ts';
import { answerUpgradeGuest } from './answer-upgrade-guest.ts';
import { answerPayoutWallet, answerSetPayoutWallet, answerWallets } from './answer-wallets.ts';
import type { Backend, Handlers } from './handler.ts';

/** The service's side of the operations table. */
export function createHandlers(backend: Backend): Handlers {
  return {
    authClient: answerAuthClient(backend),
    findProviders2: answerFindProviders2(backend),
    findProviders: answerFindProviders(backend),
    findLocations: answerFindLocations(backend),
    providerLocations: answerProviderLocations(backend),
    createProviderSpec: answerCreateProviderSpec(backend),
    clients: answerClients(backend),
    reliability: answerReliability(backend),
    codeCreate: answerCodeCreate(backend),
    codeLogin: answerCodeLogin(backend),
    passwordSet: answerPasswordSet(backend),
    upgradeGuest: answerUpgradeGuest(backend),
    createShareCode: answerCreateShareCode(backend),
    deviceAdd: answerDeviceAdd(backend),
    deviceAssociations: answerDeviceAssociations(backend),
    setProvide: answerSetProvide(backend),
    providers: answerProviders(backend),
    providersLastN: answerProvidersLastN(backend),
    providerLastN: answerProviderLastN(backend),
    providerLast90: answerProviderLast90(backend),
    leaderboard: answerLeaderboard(backend),
    wallets: answerWallets(backend),
    payoutWallet: answerPayoutWallet(backend),
    setPayoutWallet: answerSetPayoutWallet(backend),
  };
}
