/** An answer in plain words, as the service gives it beside its operations. */
export function respondWithText(
  status: number,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  return new Response(text, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...more },
  });
}

/** The answer to a caller without a token that is worth something, with the kind that is. */
export function notAuthorized(): Response {
  return respondWithText(401, 'Not authorized.', { 'www-authenticate': 'Bearer' });
}
