import fc from 'fast-check';
import { expect, test } from 'vitest';
import { servedProfiles } from '../../src/reference-service/profile.ts';
import { failureStatuses } from '../../src/service/openapi.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import { profileNames } from '../../src/service/profiles.ts';
import { checkAnswer } from './described-answers.ts';
import { arbitraryRequest, type GeneratedRequest, neverGood } from './generated-requests.ts';
import { startWorld, type World } from './generated-world.ts';
import { call, claimsOf } from './reference-caller.ts';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Operations whose answers may name a provider to anybody. */
const discovery: readonly string[] = [
  'findProviders',
  'findProviders2',
  'findLocations',
  'providerLocations',
];

async function send(
  baseUrl: string,
  { method, path, body, authorization }: GeneratedRequest,
): Promise<Answer> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: authorization === undefined ? {} : { authorization },
    ...(body === undefined || method === 'GET' ? {} : { body }),
    signal: AbortSignal.timeout(10_000),
  });
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  return { status: response.status, type, text: await response.text() };
}

/** @throws Error for an answer that the description of the interface does not know */
function checkForm({ method, path }: GeneratedRequest, { status, type, text }: Answer): void {
  if (status !== 200) {
    expect({ status, type }).toEqual({
      status: expect.toBeOneOf(Object.keys(failureStatuses).map(Number)),
      type: 'text/plain',
    });
    expect(status, 'the service failed').not.toBe(500);
    return;
  }
  expect(type).toBe('application/json');
  checkAnswer({ method, path: path.split('?')[0] ?? '', status, body: JSON.parse(text) });
}

/** A caller without a good token is let in only by operations that ask for no token. */
function checkEntry(
  { name, hasGoodToken, authorization }: GeneratedRequest,
  { status }: Answer,
  world: World,
): void {
  if (hasGoodToken || operations[name].authentication === 'none') return;
  // A client's own token is good, and not enough here, while the client is this network's.
  const refused = authorization === `Bearer ${world.clientToken}` ? [401, 403] : [401];
  expect(status, 'somebody was let in').toBeOneOf([...refused, 404, 405]);
}

/** What an answer says of the other network that is not for everybody. */
function findLeaks(
  { other }: World,
  { name }: GeneratedRequest,
  { text }: Answer,
): readonly string[] {
  const shown = [
    ...(name === 'leaderboard' ? other.shownAsEarner : []),
    ...(discovery.includes(name) ? other.shownAsProvider : []),
  ];
  return other.markers.filter((marker) => text.includes(marker) && !shown.includes(marker));
}

function isGood({ status, text }: Answer): boolean {
  return status === 200 && (JSON.parse(text).error ?? undefined) === undefined;
}

test.each(profileNames)(
  'whatever is asked of the %s service, it answers as described and keeps networks apart',
  async (profile) => {
    const { baseUrl, world } = await startWorld(profile);
    expect(world.other.markers.filter((marker) => !(marker.length > 7))).toEqual([]);
    const before = await world.other.readSelf(baseUrl);
    const answered = new Set<OperationName>();
    await fc.assert(
      fc.asyncProperty(arbitraryRequest(world), async (request) => {
        const answer = await send(baseUrl, request);
        checkForm(request, answer);
        checkEntry(request, answer, world);
        expect(findLeaks(world, request, answer)).toEqual([]);
        if (isGood(answer)) answered.add(request.name);
      }),
      // What one request changed, the next one meets: making a case smaller would try it in another
      // world.
      { numRuns: 5000, endOnFailure: true },
    );
    // The requests were good enough to be about something.
    const served = Object.keys(operations).filter(
      (name) =>
        !neverGood.has(name as OperationName) &&
        !servedProfiles[profile].notServed.includes(name as OperationName),
    );
    const good = [...answered].filter((name) => !neverGood.has(name));
    expect(good.toSorted()).toEqual(served.toSorted());
    expect(await world.other.readSelf(baseUrl)).toEqual(before);
    const own = await call(baseUrl, '/account/wallets', { token: world.token });
    const networks = own.body.wallets.map((wallet: { network_id: string }) => wallet.network_id);
    expect([...new Set(networks)]).toEqual([claimsOf(world.token).network_id]);
  },
);
