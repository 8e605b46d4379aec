import * as z from 'zod';
import { errorObject, secret } from './wire.ts';

export const codeLoginRequest = z.object({ auth_code: z.string() });
export const codeLoginResponse = z.object({ by_jwt: secret, error: errorObject });
