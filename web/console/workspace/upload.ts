import { noResponse, Problem } from '../api/problem.ts';

interface Watch {
  /** Called with how far the upload is, as a share from 0 to 1. */
  readonly progress: (share: number) => void;
  /** Ends the upload. */
  readonly signal: AbortSignal;
}

/**
 * PUTs a file to a capability URL. Only XMLHttpRequest reports how far an upload is. Rejects with `Problem`; the service
 * stores nothing of an upload that is interrupted.
 */
export const upload = (address: string, file: Blob, { progress, signal }: Watch): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', address);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.upload.addEventListener('progress', ({ loaded, total }) => progress(total === 0 ? 1 : loaded / total));
    for (const end of ['error', 'abort']) request.addEventListener(end, () => reject(noResponse('upload')));
    request.addEventListener('load', () => {
      if (request.status < 300) resolve();
      else reject(problemOf(request));
    });
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });

function problemOf({ status, responseText }: XMLHttpRequest): Problem {
  try {
    const { errors } = JSON.parse(responseText);
    return new Problem(status, Array.isArray(errors) ? errors : []);
  } catch {
    return new Problem(status);
  }
}
