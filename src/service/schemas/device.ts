import * as z from 'zod';
import { errorObject, number } from './wire.ts';

/** `provide_mode` is a number of the profile in use; the answer echoes the mode applied. */
export const setProvideRequest = z.object({ client_id: z.string(), provide_mode: z.int() });
export const setProvideResponse = z.object({ provide_mode: number, error: errorObject });
