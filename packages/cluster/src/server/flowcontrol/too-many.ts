import { failure, StatusError } from '../../api/status.ts';

/** Clients read this sentence, and come again when they are told to. */
export function tooMany(retryAfterSeconds = 1): StatusError {
  return new StatusError(
    failure(429, 'TooManyRequests', 'Too many requests, please try again later.', { retryAfterSeconds }),
  );
}
