import { Problem } from '../../api/problem.ts';

/**
 * PUTs a file to a capability URL. Only XMLHttpRequest reports how far an upload is, as a share from 0 to 1. Rejects with
 * `Problem`.
 */
export const upload = (address: string, file: Blob, progress: (share: number) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', address);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.upload.addEventListener('progress', ({ loaded, total }) => progress(total === 0 ? 1 : loaded / total));
    request.addEventListener('error', () => reject(new Problem(0)));
    request.addEventListener('load', () => {
      if (request.status < 300) resolve();
      else reject(problemOf(request));
    });
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
