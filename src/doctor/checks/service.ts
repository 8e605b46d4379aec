import { isIP, isIPv4 } from 'node:net';
import { TributaryError, toFailure } from '../../errors/codes.ts';
import { findAction } from '../../health/reasons.ts';
import { readInstallId } from '../../identity/registration-files.ts';
import { hostPortOfUrl } from '../../lib/host-port.ts';
import { formatSeconds } from '../../lib/units.ts';
import { explainKeptAway } from '../../namespace/host-ruleset.ts';
import { namespaceName, resolvConfFolder } from '../../namespace/plan.ts';
import { judgeStatus } from '../../service/judge-status.ts';
import { readClaims } from '../../service/jwt.ts';
import { readNameServers } from '../../system/name-servers.ts';
import { type Finding, fail, pass, skip } from '../check.ts';
import type { DoctorHost } from '../host.ts';
import { resolveName } from '../probe-network.ts';

export async function lookAtDns(host: DoctorHost): Promise<Finding> {
  const { host: service } = hostPortOfUrl((await host.configuration()).config.service.base_url);
  const endpoint = (await host.tunnel().catch(() => undefined))?.peer.endpoint.host;
  const names = [...new Set([service, endpoint ?? ''])].filter(
    (name) => name !== '' && isIP(name) === 0,
  );
  if (names.length === 0) return pass('not needed: every address is a number');
  const resolved = await Promise.all(
    names.map(async (name) => ({ name, address: await host.resolve(name) })),
  );
  const missing = resolved.find(({ address }) => address === undefined);
  if (missing === undefined)
    return (
      (await askInside(host, names)) ??
      pass(resolved.map(({ name, address }) => `${name} is ${address}`).join(', '))
    );
  const fix = `Check the name servers in /etc/resolv.conf: getent ahosts ${missing.name}`;
  return fail(`${missing.name} has no address`, fix);
}

/**
 * What keeps the agent, in its own namespace on this host, from resolving names that the host
 * resolves; undefined where it resolves them too, or cannot be asked.
 */
async function askInside(host: DoctorHost, names: readonly string[]): Promise<Finding | undefined> {
  const place = await host.place();
  if (place.kind !== 'host') return undefined;
  const path = `${resolvConfFolder}/resolv.conf`;
  const text = await host.disk.read(path);
  // It is not made yet, and gets its servers when it is.
  if (text === undefined) return undefined;
  const servers = readNameServers(text);
  if (servers.length === 0) {
    return fail(
      "the agent's namespace has no name server: /etc/resolv.conf names none but this host itself or IPv6",
      'Add one below the others in /etc/resolv.conf, such as your router, then: sudo tributary namespace up',
    );
  }
  const { inside } = place;
  if (inside === undefined) return undefined;
  const found = await Promise.all(names.map((name) => resolveName(inside, name)));
  const missing = names.find((_name, index) => found[index] === undefined);
  if (missing === undefined) return undefined;
  return fail(
    `${missing} has an address on this host, but none in the agent's namespace, which asks ${servers.join(', ')}`,
    `Have that name server answer the agent: sudo ip netns exec ${namespaceName} getent ahosts ${missing}`,
  );
}

/** Whether the address is reached, over TLS where it asks for it, and the service answers there. */
export async function lookAtService(host: DoctorHost): Promise<Finding> {
  const { base_url: baseUrl } = (await host.configuration()).config.service;
  const answer = await host.knock().catch(toFailure('service-unreachable'));
  if (answer instanceof TributaryError) {
    const isCertificate = /certificate|CERT_|self.signed|altname|issuer/i.test(answer.message);
    return fail(
      answer.message,
      isCertificate ? ownAuthority : `Test the connection: curl -v ${baseUrl}`,
    );
  }
  const found = judge(
    judgeStatus({ name: 'clients', answer, secrets: [], nowMs: host.now().getTime() }),
    baseUrl,
  );
  return found.verdict === 'fail' ? found : ((await tryFromAgent(host)) ?? found);
}

/**
 * What keeps the agent, in its own namespace, from a service on this host; undefined if nothing can
 * be seen that does.
 */
async function tryFromAgent(host: DoctorHost): Promise<Finding | undefined> {
  const place = await host.place();
  if (place.kind !== 'host') return undefined;
  const { gateway, service } = (await host.configuration()).config;
  const { host: name, port } = hostPortOfUrl(service.base_url);
  const address = await host.resolve(name);
  const why = explainKeptAway(name, address, gateway.allow_destinations);
  if (why !== undefined)
    return fail(why, `Add ${address} to gateway.allow_destinations; consumers can then reach it`);
  if (place.inside === undefined || address === undefined || !isIPv4(address)) return undefined;
  const args = ['-e', connectScript, address, String(port)];
  const trying = place.inside({
    program: process.execPath,
    args,
    doing: `connecting to ${address}`,
    timeoutMs: 6000,
  });
  if ((await trying.catch(toFailure('command-failed'))) === '') return undefined;
  const found = `${service.base_url} answers on this host, but the agent gets no connection to ${address}`;
  return fail(found, 'sudo systemctl restart tributary-netns tributary');
}

/** Prints nothing and exits with 0 if a connection is made. */
const connectScript =
  'const [,host,port]=process.argv;const s=net.connect({host,port,timeout:4000},()=>process.exit(0));for(const e of ["error","timeout"])s.once(e,()=>process.exit(1))';

const ownAuthority =
  'If it uses your own certificate authority: sudo tributary config set service.ca_file /etc/tributary/authority.pem';

/** The request had no token, so a refusal for that reason means that the service was reached. */
function judge(fault: TributaryError | undefined, baseUrl: string): Finding {
  if (fault === undefined) return pass(`${baseUrl} answers`);
  switch (fault.code) {
    case 'not-authorized':
    case 'service-refused':
      return pass(`${baseUrl} answers`);
    case 'rate-limited':
      return pass(`${baseUrl} answers, and limits requests right now`);
    case 'answer-redirected':
    case 'answer-not-json':
      return fail(
        fault.message,
        `Sign in to the network on the way, in a browser here: ${baseUrl}`,
      );
    case 'operation-not-served':
      return fail(fault.message, 'sudo tributary config set service.base_url ADDRESS');
    default:
      return fail(fault.message, 'Nothing to fix here: wait until the service recovers');
  }
}

const signIn = 'sudo tributary login';

/** Whether a token is there, has not expired, and is accepted by the service. */
export async function lookAtToken(host: DoctorHost): Promise<Finding> {
  const { token } = await host.state();
  if (token === undefined) {
    const { authCode } = (await host.configuration()).credentials;
    return authCode === undefined
      ? fail('this device is not signed in', signIn)
      : pass('an auth code, not spent yet');
  }
  const expiresAtMs = readClaims(token)?.expiresAtMs;
  const leftSeconds =
    expiresAtMs === undefined ? undefined : (expiresAtMs - host.now().getTime()) / 1000;
  if (leftSeconds !== undefined && leftSeconds <= 0) {
    return fail(`the sign-in expired ${formatSeconds(-leftSeconds)} ago`, signIn);
  }
  const answer = await host.clients().catch(toFailure('not-authorized', 'service-refused'));
  if (answer instanceof TributaryError) {
    const { reasons = [] } = (await host.status().catch(() => undefined)) ?? {};
    const kept = reasons.find(({ code }) => code === 'sign-in-refused');
    if (kept !== undefined)
      return fail(`the service has refused the sign-in since ${kept.since}`, kept.action);
    return fail('the service no longer accepts the sign-in', signIn);
  }
  const { reasons = [] } = (await host.status().catch(() => undefined)) ?? {};
  const ending = reasons.find(({ code }) => code === 'sign-in-ending');
  if (ending !== undefined) return fail(ending.message, signIn);
  const left =
    leftSeconds === undefined ? 'without an end' : `good for ${formatSeconds(leftSeconds)}`;
  return pass(`accepted by the service, ${left}`);
}

/**
 * The numbers of the modes differ between profiles: with the wrong one, another mode than the
 * owner's would be announced.
 */
export async function lookAtProfile(host: DoctorHost): Promise<Finding> {
  const { profile } = (await host.configuration()).config.service;
  const { registration } = await host.state();
  if (registration === undefined) return skip('known once this device is registered');
  const spoken = registration.showsProduction ? 'production' : 'documented';
  if (spoken === (profile ?? 'documented')) return pass(spoken);
  const found = `the service speaks ${spoken}, the configuration says ${profile ?? 'nothing'}`;
  return fail(
    found,
    `sudo tributary config set service.profile ${spoken} && sudo systemctl restart tributary`,
  );
}

/** Whether this device was registered and is still known to the service. */
export async function lookAtClient(host: DoctorHost): Promise<Finding> {
  const { identity, registration } = await host.state();
  const clientId = registration?.clientId ?? identity?.clientId;
  if (clientId === undefined) return skip('not registered yet; the agent does it');
  const rows = await host.clients();
  if (!rows.some((row) => row.clientId === clientId)) {
    return fail(
      `the service no longer lists ${clientId} in your network`,
      findAction('client-lost'),
    );
  }
  const others = rows.filter((row) => row.clientId !== clientId);
  const other =
    identity && others.find(({ deviceSpec }) => readInstallId(deviceSpec) === identity.installId);
  if (other === undefined) return pass(`${clientId}, listed once`);
  return fail(
    `this device is listed twice, also as ${other.clientId}`,
    `Remove the other one: tributary device remove ${other.clientId}`,
  );
}
