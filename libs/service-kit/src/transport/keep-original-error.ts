import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';

/** Nest's RPC layer turns an unknown error into "Internal server error"; the transport needs the original. */
@Catch()
export class KeepOriginalError implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
