/** The API's error types by the status that they come with. */
const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** An answer of the API that is no message. */
export class ApiError extends Error {
  readonly status: number;
  readonly type: string;

  constructor(status: number, message: string, type: string = TYPES[status] ?? 'api_error') {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.type = type;
  }

  /** The body, or the data of an `error` event. */
  body(requestId: string) {
    return { type: 'error', error: { type: this.type, message: this.message }, request_id: requestId };
  }
}

export function invalid(message: string): ApiError {
  return new ApiError(400, message);
}
